import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, describe } from 'vitest'
import { control } from '../fixture.ts'
import { createCluster, type PostgresCluster } from '../postgres-cluster.ts'
import { hasChromium, launchBrowser, type OpenedPage, openPage } from './browser.ts'
import { createStage, type Stage } from './stage.ts'

/** The inspector of a server on one of the stores. */
export type Inspected = {
  readonly store: string
  /** The server and its endpoints, once the tests run. */
  readonly stage: Stage
  /** Opens a path of the page. */
  open(path: string, options?: BrowserContextOptions): Promise<OpenedPage>
  getUrl(path: string): string
  /** Simulates a call, and returns its id. */
  simulate(body: object): Promise<string>
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
      open: (path, options = {}) => openPage(browser, { url: getUrl(path), ...options }),
      simulate: async (body) => {
        const { body: call } = await control(
          getStage().server,
          'POST /organizations/acme/simulated-calls',
          body,
        )
        return call.callId
      },
    })
  })
