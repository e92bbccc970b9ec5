# syntax=docker/dockerfile:1
# The server as an image: `docker build --tag earshot .`. docs/operations.md, section Container, has the rest.
ARG NODE_VERSION=20

# Tools to compile better-sqlite3 with, where no binary of it exists, are in the full image.
FROM node:${NODE_VERSION}-bookworm AS build
ENV CI=true
WORKDIR /src
RUN npm install --global pnpm@10.34.9
# Downloads depend on the lock file alone, so that a change of the sources does not repeat them.
COPY pnpm-lock.yaml pnpm-workspace.yaml .npmrc ./
RUN pnpm fetch
COPY . .
# The script `prepare` of the workspace builds the app and the command, and passes where they fail: so they are built again.
RUN pnpm install --frozen-lockfile --offline && pnpm run build
# What the command needs when it runs, by the same lock file.
RUN rm -rf node_modules packages/*/node_modules examples/node_modules bench/node_modules \
  && pnpm install --prod --frozen-lockfile --offline --filter-prod "@earshot/cli-adapter..."

FROM node:${NODE_VERSION}-bookworm-slim
ENV NODE_ENV=production \
  EARSHOT_DATABASE=sqlite:/data/earshot.db \
  EARSHOT_RECORDINGS=/data/recordings
COPY --from=build /src/node_modules /app/node_modules
COPY --from=build /src/packages/web/package.json /app/packages/web/
COPY --from=build /src/packages/web/dist/app /app/packages/web/dist/app
COPY --from=build /src/packages/cli-adapter/package.json /app/packages/cli-adapter/
COPY --from=build /src/packages/cli-adapter/node_modules /app/packages/cli-adapter/node_modules
COPY --from=build /src/packages/cli-adapter/bin /app/packages/cli-adapter/bin
COPY --from=build /src/packages/cli-adapter/dist/bundle /app/packages/cli-adapter/dist/bundle
COPY --from=build /src/packages/cli-adapter/samples /app/packages/cli-adapter/samples
# A new volume at /data takes the owner of this folder.
RUN ln -s /app/packages/cli-adapter/bin/earshot.js /usr/local/bin/earshot \
  && install --directory --owner=node --group=node --mode=0700 /data
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["earshot"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8080"]
