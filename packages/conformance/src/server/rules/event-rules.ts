import { emittedEventNames, emittedEventSchemas, limits } from '@wabakit/contract'
import { readField } from '../api/api-request.ts'
import type { UnansweredOutcome } from '../calls/call-scenes.ts'
import type { Need } from '../lab.ts'
import type { Examination, Observation, Rule } from '../rule.ts'
import { type GroupScene, participantPhone } from '../scenes.ts'
import type { ReceivedWebhook } from '../webhooks/received-webhook.ts'

const listening: readonly Need[] = ['--listen']
const playing: readonly Need[] = ['--listen', '--play']
const groupFields = { clause: '0026 (group event fields)', decision: true } as const
const callFields = { clause: '0027 (call event fields)', decision: true } as const

const nameEvents = (webhooks: readonly ReceivedWebhook[]): string =>
  webhooks.length === 0
    ? 'no webhook'
    : webhooks
        .map(({ event, status }) => `${event || '(no event)'}${status === 204 ? '' : ` (got ${status})`}`)
        .join(', ')

/** Webhooks about a group or a call; the second attempt of a failed delivery is not a second event. */
const findWebhooks = (
  { lab }: Examination,
  about: { readonly groupId: string } | { readonly callId: string },
): ReceivedWebhook[] =>
  (lab.listener?.webhooks ?? []).filter(
    (each) =>
      each.status === 204 &&
      ('groupId' in about ? each.groupId === about.groupId : each.callId === about.callId),
  )

const judgeGroup = async (
  examination: Examination,
  scene: Promise<GroupScene>,
  judge: (
    created: readonly ReceivedWebhook[],
    scene: GroupScene,
    all: readonly ReceivedWebhook[],
  ) => Omit<Observation, 'requests'>,
): Promise<Observation> => {
  const played = await scene
  await examination.scenes.settle()
  const all = findWebhooks(examination, played)
  const created = all.filter(({ event }) => event === 'GROUP_CREATED')
  return { ...judge(created, played, all), requests: [played.request] }
}

const judgeOnce = (created: readonly ReceivedWebhook[]): Observation => ({
  kept: created.length === 0 ? undefined : created.length === 1,
  observed: `GROUP_CREATED arrived ${created.length} times`,
})

const groupRules: readonly Rule[] = [
  {
    id: 'events.group-created.follows',
    title: 'A GROUP_CREATED webhook follows a successful create request',
    clause: 'rule 3 of "Create WhatsApp group"',
    expected: 'one GROUP_CREATED',
    severity: 'high',
    needs: listening,
    fix: 'Publish GROUP_CREATED when a group is created. If the server does, subscribe the address of --listen to the events of --waba-number.',
    examine: (examination) =>
      judgeGroup(examination, examination.scenes.created(), (created, scene) => ({
        kept: scene.exchanges[0]?.response.status === 200 ? created.length > 0 : undefined,
        observed:
          created.length > 0
            ? 'arrived'
            : `no GROUP_CREATED for ${scene.groupId} within ${examination.lab.wait.timeoutMs} ms`,
      })),
  },
  {
    id: 'events.group-created.carries-the-group-id',
    title: 'GROUP_CREATED carries the group id of the response, also a generated one',
    clause: '"Event kinds named": carries groupId; rule 4 of "Create WhatsApp group"',
    expected: 'a GROUP_CREATED whose groupId is the one in the response',
    severity: 'high',
    needs: listening,
    examine: (examination) =>
      judgeGroup(examination, examination.scenes.generated(), (created, { groupId }) => ({
        kept: groupId === '' ? undefined : created.length > 0,
        observed: created.length > 0 ? `groupId ${groupId}` : `no GROUP_CREATED with groupId ${groupId}`,
      })),
  },
  {
    id: 'events.group-created.once',
    title: 'GROUP_CREATED is published once for each group',
    clause: 'rule 3 of "Create WhatsApp group": a GROUP_CREATED webhook follows',
    expected: 'one GROUP_CREATED',
    severity: 'high',
    needs: listening,
    examine: (examination) => judgeGroup(examination, examination.scenes.created(), judgeOnce),
  },
  {
    id: 'events.group-created.none-when-refused',
    title: 'A refused create request publishes no GROUP_CREATED',
    clause: '"Event kinds named": a group was created through the create endpoint',
    expected: 'no webhook',
    severity: 'high',
    needs: listening,
    examine: (examination) =>
      judgeGroup(examination, examination.scenes.refused(), (_created, { exchanges }, all) => ({
        kept: (exchanges[0]?.response.status ?? 0) < 400 ? undefined : all.length === 0,
        observed: nameEvents(all),
      })),
  },
  {
    id: 'events.group-created.once-when-repeated',
    title: 'A repeated create request publishes no second GROUP_CREATED',
    clause: '0010 (repeated group id)',
    decision: true,
    expected: 'one GROUP_CREATED',
    needs: listening,
    examine: (examination) => judgeGroup(examination, examination.scenes.repeated(), judgeOnce),
  },
  {
    id: 'events.group-created.once-when-concurrent',
    title: 'Identical concurrent create requests publish one GROUP_CREATED',
    clause: '0010 (repeated group id)',
    decision: true,
    expected: 'one GROUP_CREATED',
    needs: listening,
    examine: (examination) => judgeGroup(examination, examination.scenes.concurrent(), judgeOnce),
  },
  {
    id: 'events.group-created.names-the-group',
    title: 'GROUP_CREATED carries the subject as groupName',
    ...groupFields,
    expected: 'groupName is the subject of the request',
    needs: listening,
    examine: (examination) =>
      judgeGroup(examination, examination.scenes.created(), ([created]) => {
        if (created === undefined) return { kept: undefined, observed: 'no GROUP_CREATED arrived' }
        const name = readField(created.json, 'groupName')
        return { kept: name === 'Acceptance check', observed: `groupName ${JSON.stringify(name)}` }
      }),
  },
  {
    id: 'events.group-created.fields',
    title: 'GROUP_CREATED has the fields that wabakit documents',
    ...groupFields,
    expected: 'event, groupId, groupName, inviteLink and groupCreatedAt, and nothing else',
    needs: listening,
    examine: (examination) =>
      judgeGroup(examination, examination.scenes.created(), ([created]) => ({
        kept: created && emittedEventSchemas.GROUP_CREATED.safeParse(created.json).success,
        observed: created?.text ?? 'no GROUP_CREATED arrived',
      })),
  },
]

const participantEvents = [
  'GROUP_PARTICIPANT_JOINED',
  'GROUP_PARTICIPANT_LEFT',
  'GROUP_PARTICIPANT_REMOVED',
] as const

const participantRules: readonly Rule[] = [
  ...participantEvents.map((name): Rule => {
    const step = name.slice('GROUP_PARTICIPANT_'.length).toLowerCase()
    return {
      id: `events.participant-${step}.references-the-group-id`,
      title: `${name} is published and references the group`,
      clause: '"Event kinds named"',
      expected: `${name} with the groupId of the group`,
      severity: 'high',
      needs: [...listening, '--wabakit-control'],
      examine: async (examination) => {
        const scene = await examination.scenes.participants()
        await examination.scenes.settle()
        const all = findWebhooks(examination, scene)
        if (scene.failure !== undefined) return { kept: undefined, observed: scene.failure }
        return {
          kept: all.some(({ event }) => event === name),
          observed: nameEvents(all),
          requests: [scene.request],
        }
      },
    }
  }),
  {
    id: 'events.participants.order',
    title: 'Events of a group arrive in the order in which they happened',
    clause: '0021 (order of deliveries)',
    decision: true,
    expected: 'GROUP_CREATED, joined, left, joined, removed',
    needs: [...listening, '--wabakit-control'],
    examine: async (examination) => {
      const scene = await examination.scenes.participants()
      await examination.scenes.settle()
      const names = findWebhooks(examination, scene).map(({ event }) => event)
      const [joined, left, removed] = participantEvents
      const kept = names.join() === ['GROUP_CREATED', joined, left, joined, removed].join()
      return {
        kept: scene.failure === undefined ? kept : undefined,
        observed: scene.failure ?? names.join(', '),
        requests: [scene.request],
      }
    },
  },
  {
    id: 'events.participants.fields',
    title: 'Participant events have the fields that wabakit documents',
    ...groupFields,
    expected: 'event, groupId, groupName, customerPhone and the time of the step',
    needs: [...listening, '--wabakit-control'],
    examine: async (examination) => {
      const scene = await examination.scenes.participants()
      await examination.scenes.settle()
      const events = findWebhooks(examination, scene).filter(({ event }) =>
        event.startsWith('GROUP_PARTICIPANT_'),
      )
      const wrong = events.find(({ event, json }) => {
        const name = participantEvents.find((each) => each === event)
        return (
          name === undefined ||
          !emittedEventSchemas[name].safeParse(json).success ||
          readField(json, 'customerPhone') !== participantPhone
        )
      })
      return {
        kept: events.length === 0 ? undefined : wrong === undefined,
        observed: wrong?.text ?? nameEvents(events),
        requests: [scene.request],
      }
    },
  },
]

/** What is known of an answered call. */
type CallEvents = {
  readonly callId: string
  readonly all: readonly ReceivedWebhook[]
  readonly channel: 'PSTN' | 'WHATSAPP'
}

const judgeCalls = async (
  examination: Examination,
  judge: (call: CallEvents) => Observation,
): Promise<Observation> => {
  const found: Observation[] = []
  for (const channel of ['PSTN', 'WHATSAPP'] as const) {
    const { callId, failure } = await examination.scenes.answered(channel)
    await examination.scenes.settle()
    found.push(
      failure === undefined
        ? judge({ callId, channel, all: findWebhooks(examination, { callId }) })
        : { kept: undefined, observed: failure },
    )
  }
  return (
    found.find(({ kept }) => kept === false) ??
    found.find(({ kept }) => kept === undefined) ??
    found[0] ?? { kept: undefined, observed: 'no call' }
  )
}

const initiated = ['CALL_INCOMING_INITIATED', 'CALL_OUTGOING_INITIATED'] as const

/** Rejoins what happened to the four steps of the specification. */
const readSteps = (all: readonly ReceivedWebhook[]): string[] =>
  all
    .map(({ event }) => (event === initiated[0] || event === initiated[1] ? 'CALL_INITIATED' : event))
    .filter((name) => name.startsWith('CALL_'))

const stepNames = ['CALL_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED', 'CALL_AI_SUMMARY']

const callRules: readonly Rule[] = [
  {
    id: 'events.call.all-steps-arrive',
    title: 'A summarized call publishes all four steps, under the same callId',
    clause: '"States and transitions": order of webhook events',
    expected: 'an INITIATED event, CALL_ACCEPTED, CALL_ENDED and CALL_AI_SUMMARY',
    severity: 'high',
    needs: playing,
    examine: (examination) =>
      judgeCalls(examination, ({ all, callId }) => ({
        kept: stepNames.every((name) => readSteps(all).includes(name)),
        observed: `${callId}: ${nameEvents(all)}`,
      })),
  },
  {
    id: 'events.call.order',
    title: 'The events of a call arrive in the order of its steps',
    clause: '"States and transitions": order of webhook events',
    expected: 'INITIATED, then CALL_ACCEPTED, then CALL_ENDED, then CALL_AI_SUMMARY',
    severity: 'high',
    needs: playing,
    examine: (examination) =>
      judgeCalls(examination, ({ all }) => {
        const places = readSteps(all)
          .map((name) => stepNames.indexOf(name))
          .filter((place) => place >= 0)
        const kept = places.every((place, index) => index === 0 || place >= (places[index - 1] ?? 0))
        return { kept: places.length < 2 ? undefined : kept, observed: nameEvents(all) }
      }),
  },
  {
    id: 'events.call.steps-once',
    title: 'Each step of a call is published once',
    clause: '"States and transitions": order of webhook events',
    expected: 'each event once',
    needs: playing,
    examine: (examination) =>
      judgeCalls(examination, ({ all }) => {
        const steps = readSteps(all).filter((name) => name !== 'CALL_AI_SUMMARY')
        return {
          kept: steps.length === 0 ? undefined : new Set(steps).size === steps.length,
          observed: nameEvents(all),
        }
      }),
  },
  {
    id: 'events.call.initiated-matches-the-direction',
    title:
      'An incoming call starts with CALL_INCOMING_INITIATED, an outgoing one with CALL_OUTGOING_INITIATED',
    clause: '"States and transitions": step 1',
    expected: 'the event of the direction that CALL_AI_SUMMARY states',
    needs: playing,
    examine: (examination) =>
      judgeCalls(examination, ({ all }) => {
        const summary = all.find(({ event }) => event === 'CALL_AI_SUMMARY')
        const first = all.find(({ event }) => initiated.some((each) => each === event))
        if (summary === undefined || first === undefined)
          return { kept: undefined, observed: nameEvents(all) }
        const direction = String(readField(summary.json, 'callDirection'))
        return {
          kept: first.event === `CALL_${direction}_INITIATED`,
          observed: `${first.event}, then callDirection ${direction}`,
        }
      }),
  },
  {
    id: 'events.call.status',
    title: 'callStatus is INITIATED, IN_PROGRESS and END',
    ...callFields,
    expected: 'INITIATED, IN_PROGRESS, END',
    needs: playing,
    examine: (examination) =>
      judgeCalls(examination, ({ all }) => {
        const found = all
          .filter(({ event }) => event !== 'CALL_AI_SUMMARY')
          .map(({ json }) => readField(json, 'callStatus'))
        const kept = found.join() === 'INITIATED,IN_PROGRESS,END' || (found.length === 0 ? undefined : false)
        return { kept, observed: found.map(String).join(', ') || 'no webhook' }
      }),
  },
  {
    id: 'events.call.fields',
    title: 'Call events have the fields that wabakit documents',
    ...callFields,
    expected: 'the fields in docs/events.md, and nothing else',
    needs: playing,
    examine: (examination) =>
      judgeCalls(examination, ({ all }) => {
        const wrong = all.find(({ event, json }) => {
          const name = emittedEventNames.find((each) => each === event)
          return name === undefined || !emittedEventSchemas[name].safeParse(json).success
        })
        return {
          kept: all.length === 0 ? undefined : wrong === undefined,
          observed: wrong?.text ?? nameEvents(all),
        }
      }),
  },
  {
    id: 'events.call.only-known-events',
    title: 'Only the nine events of the specification are published',
    clause: '0024 (who sees which event)',
    decision: true,
    expected: 'no other event',
    needs: listening,
    examine: async (examination) => {
      await examination.scenes.settle()
      const all = examination.lab.listener?.webhooks ?? []
      const other = all.find(({ event }) => !emittedEventNames.some((name) => name === event))
      return {
        kept: all.length === 0 ? undefined : other === undefined,
        observed: other?.text ?? `${all.length} known events`,
      }
    },
  },
]

const outcomes: Readonly<Record<UnansweredOutcome, string>> = {
  missed: 'A missed call publishes no summary',
  rejected: 'A rejected call publishes no summary',
  not_picked: 'A call that rang out publishes no summary',
  no_recording: 'A call without a recording publishes no summary',
  nothing_said: 'A call in which nothing was said publishes no summary',
}

const unansweredRules = Object.entries(outcomes).map(
  ([outcome, title]): Rule => ({
    id: `events.summary.none-when-${outcome.replaceAll('_', '-')}`,
    title,
    clause: '"CALL_AI_SUMMARY", not emitted when: 1',
    expected: 'no CALL_AI_SUMMARY',
    severity: 'high',
    needs: playing,
    examine: async (examination) => {
      const { callId, failure } = await examination.scenes.unanswered(outcome as UnansweredOutcome)
      await examination.scenes.settle()
      const all = findWebhooks(examination, { callId })
      if (failure !== undefined) return { kept: undefined, observed: failure }
      return { kept: all.every(({ event }) => event !== 'CALL_AI_SUMMARY'), observed: nameEvents(all) }
    },
  }),
)

const channelRules = (['PSTN', 'WHATSAPP'] as const).map((channel): Rule => {
  const path = `/${channel.toLowerCase()}`
  return {
    id: `events.channel.${channel.toLowerCase()}-webhook-gets-its-calls-only`,
    title: `A webhook on a ${channel} number receives only that number's calls`,
    clause: '"CALL_AI_SUMMARY", rule 1: subscriptions are per channel',
    expected: `at ${path} only events whose channel is ${channel}`,
    severity: 'high',
    needs: playing,
    examine: async (examination) => {
      await Promise.all([examination.scenes.answered('PSTN'), examination.scenes.answered('WHATSAPP')])
      await examination.scenes.settle()
      const here = (examination.lab.listener?.webhooks ?? []).filter(
        (each) => each.path === path && each.callId !== '',
      )
      if (here.length === 0) {
        return {
          kept: undefined,
          observed: `no call event arrived at ${path}; subscribe the ${channel} number to this path of --listen`,
        }
      }
      const other = here.find(({ json }) => readField(json, 'channel') !== channel)
      return {
        kept: other === undefined,
        observed: other?.text ?? `${here.length} events, all of ${channel}`,
      }
    },
  }
})

/** Rules of the events of groups and calls. Those of CALL_AI_SUMMARY's fields are in summary-rules.ts. */
export const eventRules: readonly Rule[] = [
  ...groupRules,
  ...participantRules,
  ...callRules,
  ...unansweredRules,
  ...channelRules,
  {
    id: 'events.group-id.within-the-limit',
    title: 'No event carries a group id of more than 50 characters',
    clause: '"Limits": groupId length',
    expected: `at most ${limits.groupIdMaxLength} characters`,
    needs: listening,
    examine: async (examination) => {
      await examination.scenes.settle()
      const about = (examination.lab.listener?.webhooks ?? []).filter(({ groupId }) => groupId !== '')
      const long = about.find(({ groupId }) => [...groupId].length > limits.groupIdMaxLength)
      const kept = about.length === 0 ? undefined : long === undefined
      return { kept, observed: long?.text ?? `${about.length} webhooks about groups` }
    },
  },
]
