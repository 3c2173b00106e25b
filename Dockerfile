# syntax=docker/dockerfile:1
#
# Sluice in a container: the command `sluice start` on a small image, as a user without rights, on a root that may be
# read-only, with one volume for state and secrets.
#
#   docker build --tag sluice .
#   docker run --read-only --tmpfs /tmp --volume sluice:/data --publish 127.0.0.1:8080:8080 sluice
#
# Both base images have a manifest for each processor, and the package installs the runtime of the processor that it is
# installed on: `docker buildx build --platform linux/amd64,linux/arm64` makes both. test/bin/container.test.ts runs
# these steps in a plain folder.

FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS build
WORKDIR /src
# Packages first: they are installed again only when the lock file changes.
COPY package.json package-lock.json ./
COPY bin/node bin/node
RUN npm ci --include=dev --ignore-scripts --no-audit --no-fund
COPY . .
RUN mkdir -p /out && npm pack --pack-destination /out

FROM node:24-bookworm-slim
COPY --from=build /out/ /out/
RUN npm install --prefix /opt/sluice --ignore-scripts --no-audit --no-fund /out/sluice-cli-*.tgz && rm -rf /out
RUN mkdir -m 0700 /data && chown 10001:10001 /data
ENV NODE_ENV=production
ENV HOST=0.0.0.0
ENV GRPC_HOST=0.0.0.0
ENV DEBUG_HOST=0.0.0.0
ENV SLUICE_STATE=/data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080 8081 6070 8484
HEALTHCHECK --interval=10s --timeout=6s --start-period=30s CMD ["node", "/opt/sluice/node_modules/sluice-cli/bin/sluice.mjs", "health"]
ENTRYPOINT ["node", "/opt/sluice/node_modules/sluice-cli/bin/sluice.mjs"]
CMD ["start"]
