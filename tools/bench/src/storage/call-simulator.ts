import { createServer } from 'node:http'
import { startServer } from '@wabakit/server'
import { callAiSummary } from '../call-ai-summary.ts'
import { listen } from '../commands.ts'
import { runConcurrently } from '../run-tasks.ts'

export const organizationId = 'acme'

const number = '+15550100002'
const numbers = { channelNumber: number, customerNumber: '+14155550123', agentNumber: '+14155550177' }

/** Starts a server with a database, and an endpoint that accepts all webhooks. */
export const startCallSimulator = async (database: string) => {
  const endpoint = createServer((request, response) => {
    request.resume().on('end', () => response.end('ok'))
  })
  const url = await listen(endpoint)
  const server = await startServer({
    database,
    port: 0,
    logLevel: 'silent',
    deliveryConcurrencyPerSubscription: 64,
    organizations: [{ id: organizationId, pstnNumbers: [number] }],
  })
  const { calls, summaries, subscriptions, dispatcher } = server.service
  await subscriptions.create(organizationId, { channel: 'PSTN', number, url })

  const simulateCall = async (): Promise<void> => {
    const start = { channel: 'PSTN', direction: 'INCOMING', ...numbers } as const
    const { callId } = await calls.start(organizationId, start)
    await calls.accept(organizationId, callId, { startedAt: Date.now() - 184_000 })
    await calls.end(organizationId, callId, { durationInSeconds: 184 })
    await summaries.save(organizationId, callId, callAiSummary.summary, { generatedBy: 'automatic' })
  }
  return {
    /** Simulates calls, up to 64 concurrently, and waits until all events are delivered. */
    run: async (times: number): Promise<void> => {
      await runConcurrently({ times, concurrency: 64 }, simulateCall)
      while ((await dispatcher.nextDueAt()) !== undefined) await new Promise((wait) => setTimeout(wait, 100))
    },
    close: async (): Promise<void> => {
      await server.close()
      endpoint.closeAllConnections()
      endpoint.close()
    },
  }
}
