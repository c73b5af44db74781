# syntax=docker/dockerfile:1
# The Rookery image: one static binary that includes the page, and nothing else.
#
#   docker build -t rookery .                                      for this machine
#   docker buildx build --platform linux/amd64,linux/arm64 .       for both architectures
#
# Each platform uses its native compiler, without cross-compiling. On another architecture the builder emulates it.
ARG RUST_VERSION=1.95

# The manifests with empty sources, enough to build the dependencies. The build stage copies this stage by content, so
# a code change does not rebuild the dependencies.
FROM rust:${RUST_VERSION}-alpine AS manifests
WORKDIR /src
COPY Cargo.toml Cargo.lock ./
COPY .cargo .cargo
COPY crates crates
COPY tools tools
RUN find crates tools -type f ! -name Cargo.toml ! -path crates/server/build.rs ! -path '*/src/lib.rs' ! -path '*/src/main.rs' \
         ! -path '*/benches/*.rs' -delete \
    && find crates tools -name lib.rs -exec truncate -s 0 {} + \
    && echo 'fn main() {}' > /empty.rs \
    && find crates tools \( -name main.rs -o -path crates/server/build.rs -o -path '*/benches/*.rs' \) -exec cp /empty.rs {} \;

FROM rust:${RUST_VERSION}-alpine AS build
# C headers and libraries for SQLite. The version is the base image's.
# hadolint ignore=DL3018
RUN apk add --no-cache musl-dev
WORKDIR /src
COPY --from=manifests /src ./
RUN cargo build --release --locked --package server
COPY crates crates
COPY web web
# Files keep their modification times, which may be older than those of the empty files built above.
RUN find crates -name '*.rs' -exec touch {} + \
    && cargo build --release --locked --package server \
    && strip target/release/rookery \
    && mkdir /empty

FROM scratch
LABEL org.opencontainers.image.title="Rookery" \
      org.opencontainers.image.description="Friends play tabletop games together in the browser" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0"
COPY --from=build /src/target/release/rookery /rookery
# A new volume inherits the owner of the folder it covers. The user needs no name, only a number.
COPY --from=build --chown=10001:10001 /empty /data
USER 10001:10001
ENV ROOKERY_DATA=/data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["/rookery", "health"]
ENTRYPOINT ["/rookery"]
