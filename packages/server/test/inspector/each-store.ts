import { join } from 'node:path'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, describe } from 'vitest'
import { control } from '../fixture.ts'
import { createCluster, type PostgresCluster } from '../postgres-cluster.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { hasChromium, launchBrowser, type OpenedPage, openPage } from './browser.ts'
import { createStage, type Stage } from './stage.ts'

/** The inspector of a server with one of the stores. */
export type Inspected = {
  readonly store: string
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

/** Defines tests that run in Chromium on SQLite and on PostgreSQL. */
export const onEachStore = (title: string, define: (inspected: Inspected) => void): void =>
  describe.skipIf(!hasChromium).each(['SQLite', 'PostgreSQL'])(`${title} on %s`, (store) => {
    let browser: Browser
    let cluster: PostgresCluster | undefined
    let stage: Stage | undefined
    const getStage = (): Stage => {
      if (stage === undefined) throw new Error('The stage exists only while tests run.')
      return stage
    }
    beforeAll(async () => {
      if (store === 'PostgreSQL') cluster = await createCluster()
      stage = await createStage((await cluster?.createDatabase()) ?? ':memory:')
      browser = await launchBrowser()
    })
    afterAll(async () => {
      await browser?.close()
      await stage?.close()
      await cluster?.remove()
    })
    const getUrl = (path: string): string => `${getStage().server.url}/_wabakit/inspector/${path}`
    define({
      store,
      get stage() {
        return getStage()
      },
      getUrl,
      createDatabase: () =>
        cluster?.createDatabase() ?? Promise.resolve(join(temporaryFolder(), 'wabakit.db')),
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
