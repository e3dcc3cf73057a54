# The server, from the tarballs and the lockfile of `npm run release`:
#   npm run release && docker build --tag wabakit .
#   docker run --env WABAKIT_CONTROL_TOKEN --volume wabakit:/data --publish 127.0.0.1:4100:4100 wabakit
# The tag names one version of Node.js. A digest would also fix its Alpine packages, which then miss security updates.
FROM node:26.10.0-alpine AS install
WORKDIR /app
COPY .release/server/ ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:26.10.0-alpine
ENV NODE_ENV=production WABAKIT_HOST=0.0.0.0 WABAKIT_PORT=4100 WABAKIT_DATABASE=/data/wabakit.db
COPY --from=install /app/node_modules /app/node_modules
RUN mkdir /data && chown node:node /data
USER node
WORKDIR /data
VOLUME /data
EXPOSE 4100
HEALTHCHECK --interval=10s --timeout=6s CMD ["node", "/app/node_modules/@wabakit/server/dist/cli/main.js", "ready", "--server", "http://127.0.0.1:4100"]
ENTRYPOINT ["node", "/app/node_modules/@wabakit/server/dist/cli/main.js"]
CMD ["serve"]
