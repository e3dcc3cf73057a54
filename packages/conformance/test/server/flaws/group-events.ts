import {
  type BrokenServer,
  changeEvent,
  drop,
  editEvents,
  isCreate,
  omit,
  ownKey,
  readFields,
  sendLater,
  sendTwice,
  withHeader,
} from '../mutations.ts'
import type { Mutation } from '../reference.ts'

const swap = (first: string, second: string): Mutation => ({
  webhook: (hook, send) => {
    const { event } = hook.body
    const other = event === first ? second : event === second ? first : undefined
    return other === undefined ? send() : send({ ...hook, body: { ...hook.body, event: other } })
  },
})

/** Publishes an event only once for each group. */
function reportOnce(event: string): Mutation {
  const reported = new Set<unknown>()
  return {
    webhook: async (hook, send) => {
      const isAgain = hook.body.event === event && reported.has(hook.body.groupId)
      if (hook.body.event === event) reported.add(hook.body.groupId)
      return isAgain ? new Response(null, { status: 204 }) : send()
    },
  }
}

/** Names each of several concurrent groups by the subject of the first one. */
function shareSubject(): Mutation {
  let shared: unknown
  return changeEvent('GROUP_CREATED', (body) => {
    if (!String(body.groupName).startsWith('Größe')) return body
    shared ??= body.groupName
    return { ...body, groupName: shared }
  })
}

function hideDescribed(): Mutation {
  const described = new Set<unknown>()
  return {
    api: (call, respond) => {
      const { groupId, description } = readFields(call)
      if (isCreate(call) && description !== undefined) described.add(groupId)
      return respond()
    },
    webhook: async ({ body }, send) =>
      described.has(body.groupId) ? new Response(null, { status: 204 }) : send(),
  }
}

function renameRefused(): Mutation {
  const names = new Map<unknown, unknown>()
  return {
    api: async (call, respond) => {
      const response = await respond()
      const { groupId, subject } = readFields(call)
      if (isCreate(call) && response.status === 422) names.set(groupId, subject)
      return response
    },
    webhook: (hook, send) => {
      const { groupId, groupName } = hook.body
      return names.has(groupId)
        ? send({ ...hook, body: { ...hook.body, groupName: names.get(groupId) ?? groupName } })
        : send()
    },
  }
}

/** Servers with one mistake each in events of groups. */
export const createGroupEventFlaws = (): BrokenServer[] => [
  { name: 'publishes no GROUP_CREATED', caughtBy: 'events.group-created.follows', ...drop('GROUP_CREATED') },
  {
    name: 'publishes GROUP_CREATED twice',
    caughtBy: 'events.group-created.once',
    ...sendTwice(({ body }) => body.event === 'GROUP_CREATED'),
  },
  {
    name: 'publishes GROUP_CREATED with a different id',
    caughtBy: 'events.group-created.carries-the-group-id',
    ...changeEvent('GROUP_CREATED', (body) => ({ ...body, groupId: 'internal-1' })),
  },
  {
    name: 'omits the name from GROUP_CREATED',
    caughtBy: 'events.group-created.fields',
    ...changeEvent('GROUP_CREATED', (body) => omit(body, 'groupName')),
  },
  {
    name: 'publishes no GROUP_PARTICIPANT_LEFT',
    caughtBy: 'events.participant-left.references-the-group-id',
    ...drop('GROUP_PARTICIPANT_LEFT'),
  },
  {
    name: 'reports a removal as a departure',
    caughtBy: 'events.participant-removed.references-the-group-id',
    ...changeEvent('GROUP_PARTICIPANT_REMOVED', (body) => ({ ...body, event: 'GROUP_PARTICIPANT_LEFT' })),
  },
  {
    name: 'publishes GROUP_PARTICIPANT_JOINED without the group',
    caughtBy: 'events.participant-joined.references-the-group-id',
    ...changeEvent('GROUP_PARTICIPANT_JOINED', (body) => omit(body, 'groupId')),
  },
  {
    name: 'calls every group the same after its creation',
    caughtBy: 'events.participants.fields',
    ...changeEvent('GROUP_PARTICIPANT_LEFT', (body) => ({ ...body, groupName: 'Group' })),
  },
  {
    name: 'reports that a participant left before it joined',
    caughtBy: 'events.participants.left-after-joined',
    ...swap('GROUP_PARTICIPANT_JOINED', 'GROUP_PARTICIPANT_LEFT'),
  },
  {
    name: 'cuts group ids to 36 characters in events',
    caughtBy: 'events.group-created.carries-the-supplied-id',
    ...editEvents(({ groupId }) =>
      typeof groupId === 'string' ? { groupId: [...groupId].slice(0, 36).join('') } : {},
    ),
  },
  {
    name: 'trims group ids in events',
    caughtBy: 'events.group-created.carries-the-supplied-id',
    ...editEvents(({ groupId }) => (typeof groupId === 'string' ? { groupId: groupId.trim() } : {})),
  },
  {
    name: 'creates a group before it checks the permission',
    caughtBy: 'events.group-created.none-when-refused',
    api: async (call, respond) => {
      const response = await respond()
      if (response.status === 403)
        await respond({ ...call, headers: withHeader(call.headers, 'authorization', ownKey) })
      return response
    },
  },
  {
    name: 'cuts the names of groups',
    caughtBy: 'events.group-created.names-the-group',
    ...changeEvent('GROUP_CREATED', (body) => ({ ...body, groupName: String(body.groupName).slice(0, 100) })),
  },
  {
    name: 'reports only the first time that a person joins',
    caughtBy: 'events.participants.every-step',
    ...reportOnce('GROUP_PARTICIPANT_JOINED'),
  },
  {
    name: 'keeps the subject of a request in a variable that all requests share',
    caughtBy: 'events.group-created.names-the-group',
    ...shareSubject(),
  },
  {
    name: 'states names of groups in Latin-1',
    caughtBy: 'events.group-created.names-the-group',
    ...changeEvent('GROUP_CREATED', (body) => ({
      ...body,
      groupName: Buffer.from(String(body.groupName)).toString('latin1'),
    })),
  },
  {
    name: 'publishes no GROUP_CREATED of a group with a description',
    caughtBy: 'events.group-created.one-for-every-group',
    ...hideDescribed(),
  },
  {
    name: 'names a group by the subject of a request that it refused',
    caughtBy: 'events.participants.refused-change-has-no-effect',
    ...renameRefused(),
  },
  {
    name: 'publishes GROUP_CREATED after the participants',
    caughtBy: 'events.participants.after-group-created',
    ...sendLater('GROUP_CREATED', 'GROUP_PARTICIPANT_JOINED'),
  },
  {
    name: 'publishes only the first participant of a group',
    caughtBy: 'events.participants.each-person',
    ...reportOnce('GROUP_PARTICIPANT_JOINED'),
  },
  {
    name: 'names the first participant of a group in each event',
    caughtBy: 'events.participants.names-the-person',
    ...changeEvent('GROUP_PARTICIPANT_JOINED', (body) => ({ ...body, customerPhone: '+15550190007' })),
  },
]
