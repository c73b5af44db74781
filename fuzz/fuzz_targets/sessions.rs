#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    (fuzzing::target("sessions").expect("a target of this name").try_one)(bytes);
});
