# Burgee in a container: the release archive on Node 24. Needs the registry of images and that of npm, and nothing else.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY . .
RUN npm run release \
 && mkdir /burgee /data \
 && tar --extract --gzip --directory=/burgee --strip-components=1 --file dist/burgee-*.tar.gz

FROM node:24-bookworm-slim
COPY --from=build /burgee /burgee
# Where SQLite keeps its file. All else stays as it is: the rest may be read-only.
COPY --from=build --chown=node:node /data /data
RUN ln -s /burgee/bin/burgee.mjs /usr/local/bin/burgee
USER node
# A restore lays a copy of the backup into TMPDIR.
ENV HOST=0.0.0.0 PORT=8080 DATABASE_URL=file:/data/burgee.db TMPDIR=/data
VOLUME /data
EXPOSE 8080
# Whether the process lives. Whether its database does is /ready, which is for load balancers: a restart mends nothing.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "/burgee/bin/burgee.mjs", "serve"]
