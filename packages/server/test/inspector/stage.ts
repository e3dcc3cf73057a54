import { createServer } from 'node:http'
import { createReceiver, standardWebhooks } from '@wabakit/webhooks'
import { toNodeHandler } from '@wabakit/webhooks/node'
import { type RunningServer, startServer } from '../../src/index.ts'
import { acme } from '../fixture.ts'

/** A server with two endpoints: one that accepts webhooks, and one with a wrong secret. */
export type Stage = {
  readonly server: RunningServer
  readonly accepting: { readonly id: string; readonly url: string }
  readonly rejecting: { readonly id: string; readonly url: string }
  /** Gives the rejecting endpoint a secret. */
  setSecret(secret: string): void
  close(): Promise<void>
}

type Listener = Parameters<typeof createServer>[1]

const listen = async (listener: NonNullable<Listener>) => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { server, url: `http://127.0.0.1:${address.port}/webhooks` }
}

const wrongSecret = 'whsec_d3JvbmctYnV0LWxvbmctZW5vdWdoLXNlY3JldA=='

export const createStage = async (database: string): Promise<Stage> => {
  const server = await startServer({
    port: 0,
    database,
    logLevel: 'silent',
    sandbox: true,
    organizations: [
      acme,
      { id: 'empty', pstnNumbers: ['+15550100009'] },
      { id: 'manual', pstnNumbers: ['+15550100008'], callSummaries: 'manual' },
    ],
  })
  let secret = wrongSecret
  const good = await listen((request, response) => {
    request.resume()
    response.end('ok')
  })
  const bad = await listen((request, response) => {
    const receiver = createReceiver({ verify: standardWebhooks({ secrets: [secret] }) }).onError(() => {})
    void toNodeHandler(receiver)(request, response)
  })
  const subscribe = async (url: string, events: 'all' | string[]) => {
    const number = { channel: 'PSTN', number: '+15550100002' } as const
    return server.service.subscriptions.create('acme', { ...number, url, events: events as 'all' })
  }
  const accepting = await subscribe(good.url, 'all')
  const rejecting = await subscribe(bad.url, ['CALL_INCOMING_INITIATED'])
  return {
    server,
    accepting,
    rejecting,
    setSecret: (given) => {
      secret = given
    },
    close: async () => {
      await server.close()
      for (const endpoint of [good, bad]) {
        endpoint.server.closeAllConnections()
        endpoint.server.close()
      }
    },
  }
}
