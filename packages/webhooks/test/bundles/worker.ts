import {
  createReceiver,
  isWebhookVerificationError,
  standardWebhooks,
  verifySignature,
} from '@wabakit/webhooks'
import type { Vector } from './vectors.ts'

/** Verifies a vector with this build. */
export const getOutcome = async ({ body, headers, options, now }: Vector): Promise<string> => {
  try {
    await verifySignature({ payload: Uint8Array.from(body), headers, ...options, now: () => now * 1_000 })
    return 'accepted'
  } catch (error) {
    return isWebhookVerificationError(error) ? error.reason : String(error)
  }
}

const received: (string | null)[] = []

// Created while the module loads, when Workers allow neither random values nor asynchronous work.
const receiver = createReceiver({
  verify: standardWebhooks({ secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] }),
  ack: 'before',
}).on('GROUP_PARTICIPANT_JOINED', async (event) => {
  await new Promise((resolve) => setTimeout(resolve, 5))
  received.push(event.groupId)
})

/** A worker with the receiver at `/webhooks`, what it received at `/received` and the vectors at `/vectors`. */
export default {
  fetch: async (request: Request, _env: object, context: object): Promise<Response> => {
    const { pathname } = new URL(request.url)
    if (pathname === '/webhooks') return receiver.handle(request, context)
    if (pathname === '/received') return Response.json(received)
    const vectors: Vector[] = await request.json()
    return Response.json(await Promise.all(vectors.map(getOutcome)))
  },
}
