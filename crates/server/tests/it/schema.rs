//! The JSON Schema of the wire contract is generated from the Rust types, and must be up to date.
//!
//! `ROOKERY_WRITE_TYPES=1 cargo test -p server --test sockets schema` regenerates it. That real messages conform to it
//! is tested with the games of `docs/examples/bot.py` (`web/tests/browser/programs.test.js`).

use protocol::{ClientMessage, ServerMessage};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Path of a game's definitions. They are separate, because games use the same names for different types.
fn place_of(game: &str) -> String {
    format!("/$defs/{game}/$defs")
}

fn settings(place: &str) -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| settings.definitions_path = place.to_owned().into())
}

/// Schema for messages that the server reads: optional fields are not required.
fn read(place: &str) -> SchemaGenerator {
    settings(place).for_deserialize().into_generator()
}

/// Schema for messages that the server writes: every field is present.
fn written(place: &str) -> SchemaGenerator {
    settings(place).for_serialize().into_generator()
}

/// Adds a type and everything it consists of, by name.
fn define<T: JsonSchema>(generator: &mut SchemaGenerator, into: &mut Map<String, Value>) {
    let _ = generator.subschema_for::<T>();
    for (name, schema) in generator.take_definitions(true) {
        let known = into.entry(name.clone()).or_insert_with(|| schema.clone());
        assert_eq!(*known, schema, "{name} differs between reading and writing");
    }
}

/// Returns the definitions of a game's own types.
fn game<G: game::Game>() -> Value
where
    G::Table: JsonSchema,
    G::Mine: JsonSchema,
    G::Action: JsonSchema,
    G::Event: JsonSchema,
    G::Rules: JsonSchema,
{
    let mut defs = Map::new();
    let place = place_of(G::ID);
    define::<G::Table>(&mut written(&place), &mut defs);
    define::<G::Mine>(&mut written(&place), &mut defs);
    define::<G::Event>(&mut written(&place), &mut defs);
    define::<G::Action>(&mut read(&place), &mut defs);
    define::<G::Rules>(&mut written(&place), &mut defs);
    json!({ "description": format!("What is {}'s own in a message.", G::ID), "$defs": defs })
}

fn contract() -> Value {
    let mut defs = Map::new();
    define::<ClientMessage>(&mut read("/$defs"), &mut defs);
    define::<ServerMessage<'_>>(&mut written("/$defs"), &mut defs);
    defs.insert("towers".to_owned(), game::<towers::Towers>());
    defs.insert("qwantum".to_owned(), game::<qwantum::Qwantum>());
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The wire contract of Rookery",
        "description": "Every message, as docs/protocol.md explains it. \
            Written from the Rust types by crates/server/tests/it/schema.rs; do not edit.",
        "anyOf": [{ "$ref": "#/$defs/ClientMessage" }, { "$ref": "#/$defs/ServerMessage" }],
        "$defs": defs,
    })
}

#[test]
fn the_schema_is_up_to_date() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/protocol.schema.json");
    let wanted = format!("{:#}\n", contract());
    if std::env::var_os("ROOKERY_WRITE_TYPES").is_some() {
        std::fs::write(&file, &wanted).expect("the docs folder is writable");
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == wanted,
        "docs/protocol.schema.json is out of date; see the top of this file for how to regenerate it"
    );
}
