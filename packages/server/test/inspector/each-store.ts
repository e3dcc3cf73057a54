import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { control } from '../fixture.ts'
import { createCluster, type PostgresCluster } from '../postgres-cluster.ts'
import { isMatrix } from '../programs.ts'
import { hasChromium, launchBrowser, type OpenedPage, openPage } from './browser.ts'
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
  /** Opens a path of the page. */
  open(path: string, options?: BrowserContextOptions): Promise<OpenedPage>
  getUrl(path: string): string
  /** Creates an empty database for this store that outlives a server. */
  createDatabase(): Promise<string>
  /** Simulates a call of an organization (default: `acme`) and returns its id. */
  simulate(body: object, organization?: string): Promise<string>
}

type Databases = Pick<PostgresCluster, 'createDatabase' | 'remove'>

const createFiles = async (): Promise<Databases> => {
  const folder = await mkdtemp(join(tmpdir(), 'wabakit-'))
  let count = 0
  return {
    createDatabase: async () => join(folder, `${count++}.db`),
    remove: () => rm(folder, { recursive: true }),
  }
}

const onStores =
  (stores: readonly string[]) =>
  (title: string, define: (inspected: Inspected) => void): void =>
    describe.skipIf(!hasChromium).each(stores)(`${title} on %s`, (store) => {
      let browser: Browser
      let databases: Databases
      let stage: Stage | undefined
      const getStage = (): Stage => {
        if (stage === undefined) throw new Error('The stage exists only while tests run.')
        return stage
      }
      beforeAll(async () => {
        databases = await (store === 'PostgreSQL' ? createCluster() : createFiles())
        stage = await createStage(await databases.createDatabase())
        browser = await launchBrowser()
      })
      afterAll(async () => {
        await browser?.close()
        await stage?.close()
        await databases?.remove()
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
        createDatabase: () => databases.createDatabase(),
        open: (path, options = {}) => openPage(browser, { url: getUrl(path), ...options }),
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
