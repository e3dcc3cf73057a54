import { limits } from '@wabakit/contract'
import { setDefaults } from '../../report/run-checks.ts'
import { parseJson, readField } from '../api/api-request.ts'
import { type GroupScene, otherPhone, participantPhone, refusedSubject } from '../scenes.ts'
import type { ServerRule, ServerRules } from '../server-rule.ts'
import type { ReceivedWebhook } from '../webhooks/received-webhook.ts'
import {
  isDocumented,
  isStorable,
  judgeGroup,
  judgeWebhooks,
  nameEvents,
  type SceneName,
  toDigits,
} from './witness.ts'

const repeated = '0009 (repeated group id)'
const fields = '0014 (group event fields)'
const created = 'rule 3 of "Create WhatsApp group": a GROUP_CREATED webhook follows'

const findCreated = (webhooks: readonly ReceivedWebhook[]): ReceivedWebhook[] =>
  webhooks.filter(({ event }) => event === 'GROUP_CREATED')

const judgeOnce = (name: SceneName<GroupScene>): Pick<ServerRule, 'expected' | 'examine'> => ({
  expected: 'one GROUP_CREATED',
  examine: judgeGroup(name, ({ webhooks }) => {
    const count = findCreated(webhooks).length
    return { kept: count === 0 ? undefined : count === 1, observed: `${count} GROUP_CREATED` }
  }),
})

const judgeCreated = (judge: (webhook: ReceivedWebhook) => boolean): ServerRule['examine'] =>
  judgeGroup('created', ({ webhooks }) => {
    const [first] = findCreated(webhooks)
    return { kept: first && judge(first), observed: first?.text ?? 'no GROUP_CREATED arrived' }
  })

const createdRules: ServerRules = {
  'events.group-created.follows': {
    title: 'A GROUP_CREATED webhook follows a successful create request',
    clause: created,
    expected: 'one GROUP_CREATED',
    fix: 'Publish GROUP_CREATED when a group is created. If the server does, subscribe the address of --listen to the events of --waba-number.',
    examine: judgeGroup('created', ({ exchanges, webhooks, groupId, lab }) => {
      const arrived = findCreated(webhooks).length > 0
      const missing = `no GROUP_CREATED for ${groupId} within ${lab.wait.timeoutMs} ms`
      return {
        kept: exchanges[0]?.response.status === 200 ? arrived : undefined,
        observed: arrived ? 'arrived' : missing,
      }
    }),
  },
  'events.group-created.carries-the-group-id': {
    title: 'GROUP_CREATED carries the group id of the response, even a generated one',
    clause: '"Event kinds named": carries groupId; rule 4 of "Create WhatsApp group"',
    expected: 'a GROUP_CREATED whose groupId is the one in the response',
    examine: judgeGroup('generated', ({ webhooks, groupId }) => ({
      kept: groupId === '' ? undefined : findCreated(webhooks).length > 0,
      observed: `groupId ${groupId}: ${nameEvents(webhooks)}`,
    })),
  },
  'events.group-created.carries-the-supplied-id': {
    title: 'GROUP_CREATED carries the supplied group id as it is: not cut or trimmed',
    clause: 'rule 1 of "Group creation request": the same identifier appears in group webhooks',
    expected: 'a GROUP_CREATED whose groupId is the one in the request',
    examine: judgeGroup('longId', ({ exchanges, webhooks, groupId, lab }) => {
      const created = lab.listener?.webhooks.filter(({ event }) => event === 'GROUP_CREATED') ?? []
      const altered = created.find((each) => each.groupId !== '' && groupId.includes(each.groupId.trim()))
      const isRefused = exchanges[0]?.response.status !== 200
      return {
        kept: isRefused ? undefined : findCreated(webhooks).length > 0,
        observed: `groupId ${JSON.stringify(altered?.groupId)} for ${JSON.stringify(groupId)}`,
      }
    }),
  },
  'events.group-created.once': {
    title: 'GROUP_CREATED is published once for each group',
    clause: created,
    ...judgeOnce('created'),
  },
  'events.group-created.none-when-refused': {
    title: 'A refused create request publishes no GROUP_CREATED',
    clause: '"Event kinds named": a group was created through the create endpoint',
    expected: 'no webhook',
    examine: async (examination) => {
      await examination.scenes.settle()
      const list = (isListed: (status: number) => boolean) =>
        examination.lab.exchanges
          .filter(({ response }) => isListed(response.status))
          .map(({ request }) => readField(parseJson(request.body ?? ''), 'groupId'))
      const refused = new Set(list((status) => status >= 400 && status < 500))
      for (const groupId of list((status) => status < 400 || status >= 500)) refused.delete(groupId)
      return judgeWebhooks(
        ({ groupId, text }) => (refused.has(groupId) ? text : undefined),
        ({ groupId }) => groupId !== '',
      )(examination)
    },
  },
  'events.group-created.once-when-repeated': {
    title: 'A repeated create request publishes no second GROUP_CREATED',
    clause: repeated,
    ...judgeOnce('repeated'),
  },
  'events.group-created.once-when-concurrent': {
    title: 'Identical concurrent create requests publish one GROUP_CREATED',
    clause: repeated,
    ...judgeOnce('concurrent'),
  },
  'events.group-created.names-the-group': {
    title: 'GROUP_CREATED carries the subject as groupName, if it carries one: not cut, escaped or misread',
    clause: '"Group creation request": subject is the group name; decision 0014',
    expected: 'groupName is the subject of the request',
    examine: (examination) =>
      judgeWebhooks(
        ({ json, groupId }) => {
          const bodies = examination.lab.exchanges
            .filter(
              ({ response }) => response.status === 200 && readField(response.json, 'groupId') === groupId,
            )
            .map(({ request }) => request.body ?? '')
          const subjects = bodies.map((body) => String(readField(parseJson(body), 'subject')))
          const groupName = readField(json, 'groupName')
          const isJudged = typeof groupName === 'string' && bodies.length > 0 && bodies.every(isStorable)
          // A server may remove spaces around a name.
          return !isJudged || subjects.some((subject) => subject.trim() === groupName.trim())
            ? undefined
            : `groupName ${JSON.stringify(groupName)} for ${JSON.stringify(subjects[0])}`
        },
        ({ event }) => event === 'GROUP_CREATED',
      )(examination),
  },
  'events.group-created.fields': {
    title: 'GROUP_CREATED has the fields that wabakit documents',
    clause: fields,
    expected: 'event, groupId, groupName, inviteLink and groupCreatedAt, and nothing else',
    examine: judgeCreated(isDocumented),
  },
  'events.group-id.within-the-limit': {
    title: 'No event carries a group id of more than 50 characters',
    clause: '"Limits": groupId length',
    expected: `at most ${limits.groupIdMaxLength} characters`,
    severity: 'medium',
    examine: judgeWebhooks(
      ({ groupId, text }) => ([...groupId].length > limits.groupIdMaxLength ? text : undefined),
      ({ groupId }) => groupId !== '',
    ),
  },
}

const [joined, left, removed] = [
  'GROUP_PARTICIPANT_JOINED',
  'GROUP_PARTICIPANT_LEFT',
  'GROUP_PARTICIPANT_REMOVED',
] as const

const expectReference = (name: string): ServerRule => ({
  title: `${name} is published and references the group`,
  clause: '"Event kinds named"',
  expected: `${name} with the groupId of the group`,
  examine: judgeGroup('participants', ({ webhooks }) => ({
    kept: webhooks.some(({ event }) => event === name),
    observed: nameEvents(webhooks),
  })),
})

const participantRules: ServerRules = {
  'events.participant-joined.references-the-group-id': expectReference(joined),
  'events.participant-left.references-the-group-id': expectReference(left),
  'events.participant-removed.references-the-group-id': expectReference(removed),
  'events.participants.order': {
    title: 'Events of a group arrive in the order in which they happened',
    clause: '0020 (order of deliveries)',
    expected: 'GROUP_CREATED, joined, left, joined, removed',
    examine: judgeGroup('participants', ({ webhooks }) => {
      const inOrder = ['GROUP_CREATED', joined, left, joined, removed].join()
      const observed = nameEvents(webhooks)
      return { kept: webhooks.map(({ event }) => event).join() === inOrder, observed }
    }),
  },
  'events.participants.left-after-joined': {
    title: 'GROUP_PARTICIPANT_LEFT arrives after GROUP_PARTICIPANT_JOINED of the same person',
    clause: '"Event kinds named": a participant who leaves has joined before',
    expected: 'GROUP_PARTICIPANT_JOINED first',
    examine: judgeGroup('participants', ({ webhooks }) => {
      const findFirst = (name: string): number => webhooks.findIndex(({ event }) => event === name)
      const [first, second] = [findFirst(joined), findFirst(left)]
      return {
        kept: second < 0 ? undefined : first >= 0 && first < second,
        observed: nameEvents(webhooks),
      }
    }),
  },
  'events.participants.every-step': {
    title: 'Every step of a participant is published, even if the person joins again',
    clause: '"Event kinds named": a participant joined, left or was removed',
    expected: 'two GROUP_PARTICIPANT_JOINED, one GROUP_PARTICIPANT_LEFT, one GROUP_PARTICIPANT_REMOVED',
    examine: judgeGroup('participants', ({ webhooks }) => {
      const found = webhooks
        .map(({ event }) => event)
        .filter((event) => event.startsWith('GROUP_PARTICIPANT'))
      const observed = nameEvents(webhooks)
      return { kept: found.toSorted().join() === [joined, joined, left, removed].join(), observed }
    }),
  },
  'events.participants.after-group-created': {
    title: 'GROUP_CREATED arrives before the events of the participants',
    clause: '"States and transitions": membership events follow GROUP_CREATED',
    expected: 'GROUP_CREATED first',
    examine: judgeGroup('participants', ({ webhooks }) => {
      const place = webhooks.findIndex(({ event }) => event === 'GROUP_CREATED')
      const kept = place < 0 || webhooks.length < 2 ? undefined : place === 0
      return { kept, observed: nameEvents(webhooks) }
    }),
  },
  'events.participants.each-person': {
    title: 'Every person who joins a group is published',
    clause: '"Event kinds named": a participant joined',
    expected: 'two GROUP_PARTICIPANT_JOINED for two people',
    examine: judgeGroup('twoParticipants', ({ webhooks }) => {
      const count = webhooks.filter(({ event }) => event === joined).length
      return { kept: webhooks.length === 0 ? undefined : count === 2, observed: nameEvents(webhooks) }
    }),
  },
  'events.participants.names-the-person': {
    title: 'Participant events state the phone number of the person who joined or left',
    clause: fields,
    expected: 'the number of the first person, of the second, and of the first again',
    examine: judgeGroup('twoParticipants', ({ webhooks }) => {
      const people = [participantPhone, otherPhone, participantPhone]
      const stated = webhooks.flatMap(({ event, json }) =>
        event === joined || event === left ? [toDigits(readField(json, 'customerPhone'))] : [],
      )
      const kept = stated.length === people.length ? stated.join() === people.map(toDigits).join() : undefined
      return { kept, observed: stated.join(', ') || nameEvents(webhooks) }
    }),
  },
  'events.participants.fields': {
    title: 'Participant events have the fields that wabakit documents',
    clause: fields,
    expected: 'event, groupId, the groupName of GROUP_CREATED, customerPhone and the time of the step',
    examine: judgeGroup('participants', ({ webhooks }) => {
      const groupName = readField(findCreated(webhooks)[0]?.json, 'groupName')
      const stated = { customerPhone: participantPhone, ...(groupName !== undefined && { groupName }) }
      const wrong = webhooks
        .filter(({ event }) => event === joined || event === left || event === removed)
        .find(
          (each) =>
            !isDocumented(each) ||
            Object.entries(stated).some(([name, value]) => readField(each.json, name) !== value),
        )
      const kept = webhooks.length < 2 ? undefined : wrong === undefined
      return { kept, observed: wrong?.text ?? nameEvents(webhooks) }
    }),
  },
}

const refusedChange: ServerRules = {
  'events.participants.refused-change-has-no-effect': {
    title: 'No event names a group by the subject of a request that was refused',
    clause: '"Errors": status 422 means that the request has failed',
    expected: 'the groupName of GROUP_CREATED',
    examine: judgeGroup('participants', ({ different, webhooks }) => {
      const isRefused = different !== undefined && different.response.status >= 400
      const renamed = webhooks.find(({ json }) => readField(json, 'groupName') === refusedSubject)
      return {
        kept: isRefused && webhooks.length > 1 ? renamed === undefined : undefined,
        observed: renamed?.text ?? nameEvents(webhooks),
      }
    }),
  },
}

export const groupEventRules: ServerRules = {
  ...setDefaults(createdRules, { severity: 'high', needs: ['--listen'] }),
  ...setDefaults(
    { ...participantRules, ...refusedChange },
    { severity: 'high', needs: ['--listen', '--wabakit-control'] },
  ),
}
