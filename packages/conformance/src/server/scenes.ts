import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@wabakit/contract'
import { type ApiExchange, type ApiRequest, readField } from './api/api-request.ts'
import { createCallScenes } from './calls/call-scenes.ts'
import { buildCreate, type Lab, unknownNumber } from './lab.ts'
import type { PlannedResponse } from './webhooks/listen.ts'
import type { ReceivedWebhook } from './webhooks/received-webhook.ts'

/** A created group and the requests that were sent for it. */
export type GroupScene = {
  readonly groupId: string
  readonly request: ApiRequest
  readonly exchanges: readonly ApiExchange[]
  /** A later request for the same group with `refusedSubject`. */
  readonly different?: ApiExchange | undefined
}

/** The path to which the listener of `acceptance` redirects. */
export const redirectPath = '/redirected'

/** The paths of two added subscriptions, and their static headers. */
export const addedPath = '/added'
export const failingPath = '/failing'
export const addedHeaders: Readonly<Record<string, string>> = { 'x-acceptance': 'a static header' }

export const participantPhone = '+15550190007'
export const otherPhone = '+15550190006'

/** The subject of a request for a group that exists with another subject. */
export const refusedSubject = 'A subject that must be refused'

/** Changes to a create request that make it a different one. */
export const otherFields: Readonly<Record<string, object>> = {
  subject: { subject: 'Another subject' },
  description: { description: 'Another description' },
  joinApprovalMode: { joinApprovalMode: 'approval_required' },
}

/** Calls that have no summary, on both channels. */
const unansweredScenes = [
  'missedPstn',
  'missedWhatsApp',
  'rejectedPstn',
  'rejectedWhatsApp',
  'unrecordedPstn',
  'unrecordedWhatsApp',
  'silentPstn',
  'silentWhatsApp',
] as const

/** Returns whether a request with the valid key was refused because of a rate limit. */
export const isOwnLimit = ({ request, response }: ApiExchange): boolean =>
  request.key === 'api' && response.status === 429

/** Time after which a limit of one request per second, or more, admits requests again, in milliseconds. */
const recoveryMs = 2_000
const maxFloodRequests = 150
const floodConcurrency = 10

/** Returns functions that play scenes on the server. */
const createScripts = (lab: Lab) => {
  const { listener, wait, simulate } = lab

  const waitForEvent = async (event: string, groupId: string): Promise<ReceivedWebhook | undefined> =>
    listener?.waitFor((each) => each.groupId === groupId && each.event === event, wait.timeoutMs)

  const awaitCreated = async (scene: GroupScene): Promise<GroupScene> => {
    const isCreated = scene.exchanges.some(({ response }) => response.status < 400)
    if (scene.groupId !== '' && isCreated) await waitForEvent('GROUP_CREATED', scene.groupId)
    return scene
  }

  const playGroup = async (fields: object = {}, groupId = lab.createGroupId()): Promise<GroupScene> => {
    const request = buildCreate(lab, { groupId, ...fields })
    return { groupId, request, exchanges: [await lab.send(request)] }
  }

  /** Creates a group whose first webhook gets this response. */
  const playFirstAttempt = (response: PlannedResponse): Promise<GroupScene> => {
    const groupId = lab.createGroupId()
    listener?.plan({ response, once: true, matches: (each) => each.groupId === groupId })
    return playGroup({}, groupId)
  }

  const playRetried = async (response: PlannedResponse): Promise<GroupScene> => {
    const scene = await playFirstAttempt(response)
    const isAccepted = (each: ReceivedWebhook): boolean =>
      each.groupId === scene.groupId && each.status === 204
    await listener?.waitFor(isAccepted, wait.retryTimeoutMs)
    return scene
  }

  /** Collects webhooks of an added subscription: before and after a rotation of its secret, and one that gets a 410. */
  const playSubscription = async () => {
    try {
      const added = await simulate.addSubscription?.({
        url: `${listener?.url}${addedPath}`,
        headers: addedHeaders,
      })
      if (added === undefined) return { failure: 'the run cannot add a subscription' }
      const { wabaNumber } = added
      const deliver = async (): Promise<ReceivedWebhook | undefined> => {
        const { groupId } = await playGroup({ wabaNumber })
        return listener?.waitFor(
          (each) => each.path === addedPath && each.groupId === groupId,
          wait.timeoutMs,
        )
      }
      const first = await deliver()
      const newSecret = await added.rotateSecret()
      const rotated = await deliver()
      let refused = ''
      const matches = ({ path, groupId }: { path: string; groupId: string }): boolean => {
        if (path !== addedPath || (refused !== '' && refused !== groupId)) return false
        refused = groupId
        return true
      }
      listener?.plan({ response: { status: 410 }, matches })
      await playGroup({ wabaNumber })
      const isRefused = ({ path, status }: ReceivedWebhook): boolean => path === addedPath && status === 410
      const gone = await listener?.waitFor(isRefused, wait.timeoutMs)
      // Gives the server time to react to the response.
      await sleep(wait.quietMs)
      const { groupId: lastGroupId } = await playGroup({ wabaNumber })
      return { wabaNumber, first, newSecret, rotated, gone, lastGroupId }
    } catch (error) {
      return { failure: String(error) }
    }
  }

  /** Collects a second attempt at another added subscription, because the one that gets a 410 has none later. */
  const playFailingSubscription = async () => {
    const groupId = lab.createGroupId()
    const isOwn = (each: { path: string; groupId: string }): boolean =>
      each.path === failingPath && each.groupId === groupId
    try {
      const added = await simulate.addSubscription?.({
        url: `${listener?.url}${failingPath}`,
        headers: addedHeaders,
      })
      if (added === undefined) return { failure: 'the run cannot add a subscription' }
      listener?.plan({ response: { status: 500 }, once: true, matches: isOwn })
      await playGroup({ wabaNumber: added.wabaNumber }, groupId)
      const isAgain = (each: ReceivedWebhook): boolean => isOwn(each) && each.status === 204
      return { again: await listener?.waitFor(isAgain, wait.retryTimeoutMs) }
    } catch (error) {
      return { failure: String(error) }
    }
  }

  const flood = async (): Promise<ApiExchange[]> => {
    // Lets a request with the valid key show afterwards that wrong keys did not use up its limit.
    if (lab.exchanges.some(isOwnLimit)) await sleep(recoveryMs)
    const exchanges: ApiExchange[] = []
    const isLimited = (): boolean => exchanges.some(({ response }) => response.status === 429)
    const sendSome = async (): Promise<void> => {
      while (exchanges.length < maxFloodRequests && !isLimited()) {
        exchanges.push(await lab.send(buildCreate(lab, { subject: '' }, { key: 'unknown' }), { once: true }))
      }
    }
    await Promise.all(Array.from({ length: floodConcurrency }, sendSome))
    return exchanges
  }

  return {
    created: async () => awaitCreated(await playGroup()),
    /** A group with the longest subject and the longest id, with spaces at both ends. */
    longId: async () =>
      awaitCreated(
        await playGroup(
          { subject: 's'.repeat(limits.subjectMaxLength) },
          ` ${lab.createGroupId().padEnd(limits.groupIdMaxLength - 2, 'x')} `,
        ),
      ),
    /** Requests that are refused: because of a field, the key, and the number. */
    refused: async () => {
      if (lab.has.has('--other-key')) await lab.send(buildCreate(lab, {}, { key: 'other' }))
      if (lab.has.has('--disabled-number')) await playGroup({ wabaNumber: lab.disabledNumber })
      return playGroup({ subject: '' })
    },
    /** Two create requests without a group id. */
    generated: async () => {
      const request = buildCreate(lab, { groupId: undefined })
      const exchanges = [await lab.send(request), await lab.send(request)]
      const id = readField(exchanges[0]?.response.json, 'groupId')
      return awaitCreated({ groupId: id === undefined ? '' : String(id), request, exchanges })
    },
    /** The same request twice, with another spelling of the number, with each other field changed, and once more. */
    repeated: async () => {
      const fields = {
        groupId: lab.createGroupId(),
        description: 'A description',
        joinApprovalMode: 'auto_approve',
      }
      const { groupId } = fields
      const spelled = lab.wabaNumber.replace(/\D/g, '')
      const request = buildCreate(lab, fields)
      const requests = [
        ...[request, request],
        buildCreate(lab, { ...fields, wabaNumber: spelled }),
        ...Object.values(otherFields).map((changed) => buildCreate(lab, { ...fields, ...changed })),
        request,
      ]
      const exchanges: ApiExchange[] = []
      for (const each of requests) exchanges.push(await lab.send(each))
      return awaitCreated({ groupId, request, exchanges })
    },
    /** Requests that are refused for different reasons, each followed by a valid one with the same group id. */
    corrected: async () => {
      const mistakes: readonly (readonly [fields: object, rest?: Partial<ApiRequest>])[] = [
        [{ subject: '' }],
        [{ wabaNumber: unknownNumber }],
        [{}, { key: 'unknown' }],
        ...(lab.has.has('--other-key') ? [[{}, { key: 'other' }] as const] : []),
        ...(lab.has.has('--disabled-number') ? [[{ wabaNumber: lab.disabledNumber }] as const] : []),
      ]
      const correct = async ([fields, rest]: (typeof mistakes)[number]): Promise<ApiExchange[]> => {
        const groupId = lab.createGroupId()
        const refused = await lab.send(buildCreate(lab, { ...fields, groupId }, rest))
        return [refused, await lab.send(buildCreate(lab, { groupId }))]
      }
      return Promise.all(mistakes.map(correct))
    },
    /** Six identical concurrent requests. */
    concurrent: async () => {
      const groupId = lab.createGroupId()
      const request = buildCreate(lab, { groupId })
      const exchanges = await Promise.all(Array.from({ length: 6 }, () => lab.send(request)))
      return awaitCreated({ groupId, request, exchanges })
    },
    /** Concurrent requests for different groups. */
    different: () =>
      Promise.all(Array.from({ length: 8 }, (_, index) => playGroup({ subject: `Größe ${index}` }))),
    retried: () => playRetried({ status: 500 }),
    retriedAfter404: () => playRetried({ status: 404 }),
    /** A group whose first GROUP_CREATED got no response. */
    unanswered: () => playRetried({ status: 0 }),
    deferred: () => playRetried({ status: 409, retryAfter: 1 }),
    /** A group whose first GROUP_CREATED got a redirect to `redirectPath`. */
    redirected: async () => awaitCreated(await playFirstAttempt({ status: 302, location: redirectPath })),
    /**
     * A group with the longest id and a participant who joined, left, joined again and was removed. After the first step,
     * the group is requested with another subject. `failure` is set if a step failed.
     */
    participants: async () => {
      const scene = await playGroup({}, lab.createGroupId().padEnd(limits.groupIdMaxLength, 'x'))
      const { groupId } = scene
      let different: ApiExchange | undefined
      try {
        for (const step of ['joined', 'left', 'joined', 'removed'] as const) {
          await simulate.moveParticipant?.({ groupId, phone: participantPhone, step })
          different ??= await lab.send(buildCreate(lab, { groupId, subject: refusedSubject }))
        }
      } catch (error) {
        return { ...scene, failure: String(error) }
      }
      await waitForEvent('GROUP_PARTICIPANT_REMOVED', groupId)
      return { ...scene, different }
    },
    /** A group that two people joined, and that the first of them left. */
    twoParticipants: async () => {
      const scene = await playGroup()
      const { groupId } = scene
      try {
        const [first, second] = [participantPhone, otherPhone]
        await simulate.moveParticipant?.({ groupId, phone: first, step: 'joined' })
        await simulate.moveParticipant?.({ groupId, phone: second, step: 'joined' })
        await simulate.moveParticipant?.({ groupId, phone: first, step: 'left' })
      } catch (error) {
        return { ...scene, failure: String(error) }
      }
      await waitForEvent('GROUP_PARTICIPANT_LEFT', groupId)
      return scene
    },
    /** Groups on the number of an added subscription. */
    subscribed: playSubscription,
    subscribedRetried: playFailingSubscription,
    /** Requests with a wrong key, until one gets a 429. */
    flood,
    ...createCallScenes(lab),
  }
}

export type SceneResults = {
  [Name in keyof ReturnType<typeof createScripts>]: Awaited<
    ReturnType<ReturnType<typeof createScripts>[Name]>
  >
}

export type Scenes = ReturnType<typeof createScenes>

export const createScenes = (lab: Lab) => {
  const { listener, wait, simulate } = lab
  const scripts = createScripts(lab)
  const played = new Map<keyof SceneResults, Promise<unknown>>()
  /** Returns the result of a scene. Each scene is played once, even if several checks use it. */
  const play = <Name extends keyof SceneResults>(name: Name): Promise<SceneResults[Name]> => {
    const scene = (played.get(name) ?? scripts[name]()) as Promise<SceneResults[Name]>
    played.set(name, scene)
    return scene
  }
  const listNames = (): (keyof SceneResults)[] => {
    const [isListening, isPlaying] = [lab.has.has('--listen'), lab.has.has('--play')]
    return [
      ...([
        'created',
        'longId',
        'refused',
        'generated',
        'repeated',
        'corrected',
        'concurrent',
        'different',
      ] as const),
      ...(isListening
        ? (['retried', 'retriedAfter404', 'unanswered', 'deferred', 'redirected'] as const)
        : []),
      ...(isListening && simulate.moveParticipant !== undefined
        ? (['participants', 'twoParticipants'] as const)
        : []),
      ...(isListening && simulate.addSubscription !== undefined
        ? (['subscribed', 'subscribedRetried'] as const)
        : []),
      ...(isPlaying ? (['PSTN', 'WHATSAPP', 'anotherWhatsApp'] as const) : []),
      ...(isPlaying && listener !== undefined ? (['failedSummary', 'failedEnd'] as const) : []),
      ...(isPlaying ? unansweredScenes : []),
      ...(isPlaying && simulate.regenerateSummary !== undefined ? (['regenerated'] as const) : []),
      ...(isPlaying && simulate.playSilentBotTest !== undefined ? (['botTest'] as const) : []),
    ]
  }
  let started: Promise<unknown>[] = []
  let settled: Promise<void> | undefined
  return {
    play,
    /** Starts this run's scenes before the checks, because webhooks take time. */
    start: (): void => {
      started = listNames().map(play)
    },
    /** Resolves when all started scenes have ended and late webhooks have had time to arrive. */
    settle: (): Promise<void> => {
      settled ??= Promise.allSettled(started).then(() => sleep(wait.quietMs))
      return settled
    },
  }
}
