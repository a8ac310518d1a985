# syntax=docker/dockerfile:1
# Build natively on each platform; cross-compiling would need a C cross-compiler for the TLS library.

FROM rust:1.95-slim-bookworm AS build
WORKDIR /source
COPY Cargo.toml Cargo.lock ./
COPY config config
COPY src src
# Cargo asks for the files of every target that Cargo.toml names, also of those that are not built.
COPY benches benches
COPY tests/it/main.rs tests/it/main.rs
ARG TARGETARCH
# The binary leaves the cache mount in the step that builds it, as the mount is not part of the image.
RUN --mount=type=cache,target=/usr/local/cargo/registry,id=registry-$TARGETARCH \
    --mount=type=cache,target=/source/target,id=target-$TARGETARCH \
    cargo build --locked --profile dist --bin pocketknight \
    && cp target/dist/pocketknight /pocketknight \
    && mkdir /data

FROM gcr.io/distroless/cc-debian12:nonroot
LABEL org.opencontainers.image.title="pocketknight" \
      org.opencontainers.image.description="A Lichess bot that plays crazyhouse, with its own engine inside" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0"
COPY --from=build /pocketknight /usr/local/bin/pocketknight
# Owned by the user of the image, so that a fresh volume can be written to.
COPY --from=build --chown=65532:65532 /data /data
USER 65532:65532
WORKDIR /data
VOLUME ["/data"]
ENV POCKETKNIGHT__DATA__DIR=/data
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/pocketknight"]
CMD ["run"]
