# syntax=docker/dockerfile:1
# The image of Rookery: one static binary that carries the page, and nothing else.
#
#   docker build -t rookery .                                      for this machine
#   docker buildx build --platform linux/amd64,linux/arm64 .       for both kinds of machine
#
# Each platform is built by its own compiler (no cross compiler to keep); on a foreign machine the builder emulates it.
ARG RUST_VERSION=1.95

# What dependencies follow from: the manifests, and empty sources that make them whole. A later stage copies this one
# by content, so a change of code does not build the dependencies again.
FROM rust:${RUST_VERSION}-alpine AS manifests
WORKDIR /src
COPY Cargo.toml Cargo.lock ./
COPY .cargo .cargo
COPY crates crates
COPY xtask xtask
RUN find crates xtask -type f ! -name Cargo.toml ! -path crates/server/build.rs ! -path '*/src/lib.rs' ! -path '*/src/main.rs' \
         ! -path '*/benches/*.rs' -delete \
    && find crates xtask -name lib.rs -exec truncate -s 0 {} + \
    && echo 'fn main() {}' > /empty.rs \
    && find crates xtask \( -name main.rs -o -path crates/server/build.rs -o -path '*/benches/*.rs' \) -exec cp /empty.rs {} \;

FROM rust:${RUST_VERSION}-alpine AS build
# What a C compiler needs besides itself, for SQLite. Its version is the image's.
# hadolint ignore=DL3018
RUN apk add --no-cache musl-dev
WORKDIR /src
COPY --from=manifests /src ./
RUN cargo build --release --locked --package server
COPY crates crates
COPY web web
# The files keep the times of the checkout, which may be older than the empty ones built before.
RUN find crates -name '*.rs' -exec touch {} + \
    && cargo build --release --locked --package server \
    && strip target/release/rookery \
    && mkdir /empty

FROM scratch
LABEL org.opencontainers.image.title="Rookery" \
      org.opencontainers.image.description="Friends play tabletop games together in the browser" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0"
COPY --from=build /src/target/release/rookery /rookery
# A new volume takes over the owner of what it covers. No name is needed for the user: a number is enough.
COPY --from=build --chown=10001:10001 /empty /data
USER 10001:10001
ENV ROOKERY_DATA=/data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["/rookery", "health"]
ENTRYPOINT ["/rookery"]
