import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { control } from '../fixture.ts'
import { isMatrix } from '../programs.ts'
import { createPostgresDatabase } from '../shared-cluster.ts'
import { hasChromium, type OpenedPage, openPage } from './browser.ts'
import { createStage, type Stage } from './stage.ts'

/** The inspector of a server with one of the stores. */
export type Inspected = {
  readonly store: string
  /** Defines a test of what no database can change, such as labels and the keyboard, which runs on SQLite alone. */
  readonly once: ReturnType<typeof test.skipIf>
  /** Defines a test that runs on PostgreSQL only in `npm run test:matrix`, because what it reads is tested there without a page. */
  readonly matrix: ReturnType<typeof test.skipIf>
  /** The server and its endpoints, available once the tests run. */
  readonly stage: Stage
  /** Shows a path in the page of the test before, if that can go on. */
  open(path: string, options?: BrowserContextOptions): Promise<OpenedPage>
  /** Loads a path in a page of its own, for tests of what happens meanwhile, or that change the page for good. */
  load(path: string, options?: BrowserContextOptions): Promise<OpenedPage>
  getUrl(path: string): string
  /** Creates an empty database for this store that outlives a server. */
  createDatabase(): Promise<string>
  /** Simulates a call of an organization (default: `acme`) and returns its id. */
  simulate(body: object, organization?: string): Promise<string>
}

const onStores =
  (stores: readonly string[]) =>
  (title: string, define: (inspected: Inspected) => void): void =>
    describe.skipIf(!hasChromium).each(stores)(`${title} on %s`, (store) => {
      let folder: string
      let databases = 0
      let stage: Stage | undefined
      const createDatabase = async (): Promise<string> =>
        store === 'PostgreSQL' ? createPostgresDatabase() : join(folder, `${databases++}.db`)
      const getStage = (): Stage => {
        if (stage === undefined) throw new Error('The stage exists only while tests run.')
        return stage
      }
      beforeAll(async () => {
        folder = await mkdtemp(join(tmpdir(), 'wabakit-'))
        stage = await createStage(await createDatabase())
      })
      afterAll(async () => {
        await stage?.close()
        await rm(folder, { recursive: true, force: true })
      })
      const getUrl = (path: string): string => `${getStage().server.url}/_wabakit/inspector/${path}`
      define({
        store,
        once: test.skipIf(store !== 'SQLite'),
        matrix: test.skipIf(store !== 'SQLite' && !isMatrix),
        get stage() {
          return getStage()
        },
        getUrl,
        createDatabase,
        open: (path, options = {}) => openPage({ url: getUrl(path), isKept: true, ...options }),
        load: (path, options = {}) => openPage({ url: getUrl(path), ...options }),
        simulate: async (body, organization = 'acme') => {
          const { body: call } = await control(
            getStage().server,
            `POST /organizations/${organization}/simulated-calls`,
            body,
          )
          return call.callId
        },
      })
    })

/** Defines tests that run in Chromium on SQLite and on PostgreSQL. */
export const onEachStore = onStores(isMatrix ? ['PostgreSQL'] : ['SQLite', 'PostgreSQL'])

/** Defines tests that run in Chromium on SQLite and, in `npm run test:matrix`, on PostgreSQL. */
export const onOneStore = onStores([isMatrix ? 'PostgreSQL' : 'SQLite'])

/** Defines tests in Chromium of what no database can change, such as colors and labels. */
export const onSqlite = onStores(isMatrix ? [] : ['SQLite'])
