import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiRequest, Exchange } from './api/api-request.ts'
import {
  type AnsweredCall,
  createCallScenes,
  type UnansweredCall,
  type UnansweredOutcome,
} from './calls/call-scenes.ts'
import { buildCreate, type Lab, memoize } from './lab.ts'
import type { ReceivedWebhook } from './webhooks/received-webhook.ts'

/** A group that was created, and the requests that were sent for it. */
export type GroupScene = {
  readonly groupId: string
  readonly request: ApiRequest
  readonly exchanges: readonly Exchange[]
}

/** The webhooks of an added subscription, before and after a rotation of its secret and a response with status 410. */
export type SubscriptionScene = {
  /** Why the subscription could not be added or its secret rotated. */
  readonly failure: string | undefined
  readonly first: ReceivedWebhook | undefined
  readonly newSecret: string
  readonly rotated: ReceivedWebhook | undefined
  readonly gone: ReceivedWebhook | undefined
  /** A group that was created after the 410. */
  readonly lastGroupId: string
}

/**
 * The scenes that the examiner plays on the server. Several checks look at each scene, so each is played once; `start` plays
 * all of them ahead of the checks, because webhooks take time.
 */
export type Scenes = {
  start(): void
  /** Resolves when every scene that was started is over and a late webhook would have arrived. */
  settle(): Promise<void>
  /** A valid create request. */
  created(): Promise<GroupScene>
  /** A create request with an empty subject. */
  refused(): Promise<GroupScene>
  /** Two create requests without a group id. */
  generated(): Promise<GroupScene>
  /** The same request twice, then with another spelling of the number, then with another subject. */
  repeated(): Promise<GroupScene>
  /** Six identical requests at once. */
  concurrent(): Promise<GroupScene>
  /** A group whose first GROUP_CREATED got 500. */
  retried(): Promise<GroupScene>
  /** Creates a group whose first webhook gets 409 with Retry-After. */
  deferred(): Promise<GroupScene>
  /** A group whose first GROUP_CREATED got a redirect to `redirectPath`. */
  redirected(): Promise<GroupScene>
  /** A group with a participant who joined, left, joined again and was removed. `failure` has the reason if it failed. */
  participants(): Promise<GroupScene & { readonly failure: string | undefined }>
  /** Groups on the number of an added subscription. */
  subscribed(): Promise<SubscriptionScene>
  answered(channel: 'PSTN' | 'WHATSAPP'): Promise<AnsweredCall>
  unanswered(outcome: UnansweredOutcome): Promise<UnansweredCall>
  failedEnd(): Promise<AnsweredCall>
  failedSummary(): Promise<AnsweredCall>
  /** A call whose summary was generated twice. */
  regenerated(): Promise<AnsweredCall>
  botTest(): Promise<UnansweredCall>
  /** An answered call of an organization whose summaries are manual. */
  manual(): Promise<UnansweredCall>
  /** Requests with a wrong key, until there is a 429. */
  flood(): Promise<readonly Exchange[]>
}

/** The target of redirects by the examiner's listener. */
export const redirectPath = '/redirected'

/** The path of the added subscription, and its static headers. */
export const addedPath = '/added'
export const addedHeaders: Readonly<Record<string, string>> = { 'x-acceptance': 'a static header' }

export const participantPhone = '+15550190007'

const maxFloodRequests = 150
const floodConcurrency = 10

export const createScenes = (lab: Lab): Scenes => {
  const { listener, wait, simulate } = lab
  const calls = createCallScenes(lab)

  const waitForCreated = async (groupId: string): Promise<ReceivedWebhook | undefined> =>
    listener?.waitFor((each) => each.groupId === groupId && each.event === 'GROUP_CREATED', wait.timeoutMs)

  const playGroup = async (fields: Readonly<Record<string, unknown>> = {}): Promise<GroupScene> => {
    const groupId = lab.createGroupId()
    const request = buildCreate(lab, { groupId, ...fields })
    return { groupId, request, exchanges: [await lab.send(request)] }
  }

  const playSubscription = async (): Promise<SubscriptionScene> => {
    const found = { first: undefined, newSecret: '', rotated: undefined, gone: undefined, lastGroupId: '' }
    try {
      const added = await simulate.addSubscription?.({
        url: `${listener?.url}${addedPath}`,
        headers: addedHeaders,
      })
      if (added === undefined) return { ...found, failure: 'the run cannot add a subscription' }
      const { wabaNumber } = added
      const deliver = async (): Promise<ReceivedWebhook | undefined> =>
        waitForCreated((await playGroup({ wabaNumber })).groupId)
      const first = await deliver()
      const newSecret = await added.rotateSecret()
      const rotated = await deliver()
      let refused = ''
      listener?.plan(({ path, groupId }) => {
        if (path !== addedPath || (refused !== '' && refused !== groupId)) return undefined
        refused = groupId
        return { status: 410 }
      })
      const gone = await deliver()
      // The server has the response before it has recorded what follows from it.
      await sleep(wait.quietMs)
      const { groupId: lastGroupId } = await playGroup({ wabaNumber })
      return { failure: undefined, first, newSecret, rotated, gone, lastGroupId }
    } catch (error) {
      return { ...found, failure: String(error) }
    }
  }

  const flood = async (): Promise<readonly Exchange[]> => {
    const exchanges: Exchange[] = []
    const isLimited = (): boolean => exchanges.some(({ response }) => response.status === 429)
    const sendSome = async (): Promise<void> => {
      while (exchanges.length < maxFloodRequests && !isLimited()) {
        exchanges.push(await lab.send(buildCreate(lab, { subject: '' }, { key: 'unknown' }), { once: true }))
      }
    }
    await Promise.all(Array.from({ length: floodConcurrency }, sendSome))
    return exchanges
  }

  const scenes = {
    created: memoize(async () => {
      const scene = await playGroup()
      await waitForCreated(scene.groupId)
      return scene
    }),
    refused: memoize(() => playGroup({ subject: '' })),
    generated: memoize(async () => {
      const request = buildCreate(lab, { groupId: undefined })
      const exchanges = [await lab.send(request), await lab.send(request)]
      const { json } = exchanges[0]?.response ?? {}
      const groupId =
        typeof json === 'object' && json !== null && 'groupId' in json ? String(json.groupId) : ''
      if (groupId !== '') await waitForCreated(groupId)
      return { groupId, request, exchanges }
    }),
    repeated: memoize(async () => {
      const groupId = lab.createGroupId()
      const spelled = lab.wabaNumber.replace(/\D/g, '')
      const request = buildCreate(lab, { groupId })
      const requests = [
        ...[request, request],
        buildCreate(lab, { groupId, wabaNumber: spelled }),
        buildCreate(lab, { groupId, subject: 'Another subject' }),
      ]
      const exchanges: Exchange[] = []
      for (const each of requests) exchanges.push(await lab.send(each))
      await waitForCreated(groupId)
      return { groupId, request, exchanges }
    }),
    concurrent: memoize(async () => {
      const groupId = lab.createGroupId()
      const request = buildCreate(lab, { groupId })
      const exchanges = await Promise.all(Array.from({ length: 6 }, () => lab.send(request)))
      await waitForCreated(groupId)
      return { groupId, request, exchanges }
    }),
    retried: memoize(async () => {
      const groupId = lab.createGroupId()
      let attempts = 0
      listener?.plan((each) => {
        if (each.groupId !== groupId) return undefined
        attempts += 1
        return attempts === 1 ? { status: 500 } : undefined
      })
      const scene = await playGroup({ groupId })
      await listener?.waitFor((each) => each.groupId === groupId && each.status === 204, wait.retryTimeoutMs)
      return { ...scene, groupId }
    }),
    deferred: memoize(async () => {
      const groupId = lab.createGroupId()
      let attempts = 0
      listener?.plan((each) => {
        if (each.groupId !== groupId) return undefined
        attempts += 1
        return attempts === 1 ? { status: 409, retryAfter: 1 } : undefined
      })
      const scene = await playGroup({ groupId })
      await listener?.waitFor((each) => each.groupId === groupId && each.status === 204, wait.retryTimeoutMs)
      return { ...scene, groupId }
    }),
    redirected: memoize(async () => {
      const groupId = lab.createGroupId()
      let attempts = 0
      listener?.plan((each) => {
        if (each.groupId !== groupId || each.path === redirectPath) return undefined
        attempts += 1
        return attempts === 1 ? { status: 302, location: redirectPath } : undefined
      })
      const scene = await playGroup({ groupId })
      await waitForCreated(groupId)
      return { ...scene, groupId }
    }),
    participants: memoize(async () => {
      const scene = await playGroup()
      const { groupId } = scene
      try {
        for (const step of ['joined', 'left', 'joined', 'removed'] as const) {
          await simulate.moveParticipant?.({ groupId, phone: participantPhone, step })
        }
      } catch (error) {
        return { ...scene, failure: String(error) }
      }
      const isRemoval = (each: ReceivedWebhook): boolean =>
        each.groupId === groupId && each.event === 'GROUP_PARTICIPANT_REMOVED'
      await listener?.waitFor(isRemoval, wait.timeoutMs)
      return { ...scene, failure: undefined }
    }),
    subscribed: memoize(playSubscription),
    flood: memoize(flood),
    ...calls,
  }

  const started: Promise<unknown>[] = []
  const start = (): void => {
    started.push(
      scenes.created(),
      scenes.refused(),
      scenes.generated(),
      scenes.repeated(),
      scenes.concurrent(),
    )
    if (lab.has.has('--listen')) {
      started.push(scenes.retried(), scenes.deferred(), scenes.redirected())
      if (simulate.moveParticipant !== undefined) started.push(scenes.participants())
      if (simulate.addSubscription !== undefined) started.push(scenes.subscribed())
    }
    if (lab.has.has('--play')) started.push(...calls.startCalls())
  }
  return {
    ...scenes,
    start,
    settle: memoize(async () => {
      await Promise.allSettled(started)
      await sleep(wait.quietMs)
    }),
  }
}
