import { createClient, OutcomeUnknownError } from '@wabakit/client'
import {
  IllegalTransitionError,
  InputError,
  RecordExistsError,
  RecordNotFoundError,
  type ReferenceServer,
  StorageOutcomeUnknownError,
  StorageUnavailableError,
  SummaryRefusedError,
} from '@wabakit/core'
import { attemptLimits, type CallStep, type Operation } from '../plan.ts'
import { createOwner, type Owner } from '../virtual/event-loop.ts'
import { wait } from '../virtual/timers.ts'
import { createApiNetwork } from './api-network.ts'
import { apiKey, organizationId, wabaNumber } from './organization.ts'
import type { Cluster, Server } from './servers.ts'

type OperationTo<Do extends Operation['do']> = Extract<Operation, { do: Do }>

/** Errors that users may get because an operation is not possible or the store fails. */
const expected = [
  IllegalTransitionError,
  InputError,
  RecordExistsError,
  RecordNotFoundError,
  StorageOutcomeUnknownError,
  StorageUnavailableError,
  SummaryRefusedError,
]

const summary = { recap: 'They agreed.', keyPoints: ['Price'], nextSteps: ['Send the offer'] }

const callEvents = {
  start: 'CALL_INCOMING_INITIATED',
  accept: 'CALL_ACCEPTED',
  end: 'CALL_ENDED',
} as const

const moveEvents = { join: 'GROUP_PARTICIPANT_JOINED', leave: 'GROUP_PARTICIPANT_LEFT' } as const

const takeStep = async (
  { calls, summaries }: ReferenceServer,
  callId: string,
  step: CallStep,
): Promise<void> => {
  switch (step) {
    case 'start': {
      const numbers = { channelNumber: wabaNumber, customerNumber: '+49301234' }
      await calls.start(organizationId, { callId, channel: 'WHATSAPP', direction: 'INCOMING', ...numbers })
      break
    }
    case 'accept':
    case 'end':
      await calls[step](organizationId, callId)
      break
    case 'summarize':
      await summaries.save(organizationId, callId, summary, { generatedBy: 'automatic' })
  }
}

export const createOperations = (cluster: Cluster) => {
  const { draws, loop, servers, endpoints, observe, now } = cluster
  const connect = createApiNetwork(cluster, servers)

  const active = new Set<{ readonly owner: Owner }>()

  const acknowledge = (name: string, subject: string): void => observe({ kind: 'step ended', name, subject })

  const createGroup = async (operation: OperationTo<'create a group'>, owner: Owner): Promise<void> => {
    const { client: name, groupId, subject, retries } = operation
    const client = createClient({
      baseUrl: 'https://api.example',
      apiKey,
      fetch: connect(owner),
      clock: { now, sleep: async (ms) => void (await wait(ms)) },
      random: draws.stream(`${name} at ${loop.now()}`),
      retry: retries === 'none' ? { limit: 0 } : { writes: retries },
    })
    try {
      const created = await client.groups.create({
        wabaNumber,
        subject,
        ...(groupId !== null && { groupId }),
      })
      observe({ kind: 'client ended', operation, groupId: created.groupId, result: 'done' })
    } catch (error) {
      const isUnknown = error instanceof OutcomeUnknownError
      const own = isUnknown ? error.groupId : (groupId ?? undefined)
      observe({ kind: 'client ended', operation, groupId: own, result: isUnknown ? 'unknown' : 'not done' })
    }
  }

  const changeSubscription = async (
    { subscriptions }: ReferenceServer,
    { subscription, change }: OperationTo<'change a subscription'>,
  ): Promise<void> => {
    const endpoint = endpoints.get(subscription.replace('subscription', 'endpoint'))
    if (endpoint === undefined) return
    const update = (changes: Parameters<typeof subscriptions.update>[2]) =>
      subscriptions.update(organizationId, subscription, changes)
    switch (change) {
      case 'rotate the secret': {
        const secret = endpoint.addSecret()
        const overlapMs = draws.pick('overlap', [0, 1_000, 86_400_000])
        await subscriptions.rotateSecret(organizationId, subscription, { secret, overlapMs })
        break
      }
      case 'change the URL':
        await update({ url: `https://${endpoint.name}.example/moved` })
        break
      case 'limit the attempts':
        await update({ maxAttemptsPerSecond: draws.pick('attempts per second', attemptLimits) })
        break
      case 'disable':
      case 'enable':
        await update({ enabled: change === 'enable' })
        break
      case 'remove':
        await subscriptions.remove(organizationId, subscription)
    }
  }

  const perform = async (
    { service, store }: Server,
    operation: Exclude<Operation, OperationTo<'create a group'>>,
  ): Promise<unknown> => {
    switch (operation.do) {
      case 'make a call':
        for (const step of operation.steps) {
          await takeStep(service, operation.callId, step)
          if (step !== 'summarize') acknowledge(callEvents[step], `call:${operation.callId}`)
          const longestMs = draws.pick('pace of a call', [0, 10, 40, 100, 5_000])
          await wait(draws.between('between steps', [0, longestMs]))
        }
        return
      case 'summarize a call': {
        const options = { generatedBy: 'team_member' } as const
        return service.summaries.save(organizationId, operation.callId, summary, options)
      }
      case 'move a participant':
        for (const move of operation.moves) {
          const { groupId, phone } = operation
          await service.participants[move](organizationId, { groupId, phone })
          acknowledge(moveEvents[move], `group:${groupId}`)
        }
        return
      case 'change a subscription':
        observe({ kind: 'subscription changing', id: operation.subscription })
        await changeSubscription(service, operation)
        return observe({ kind: 'subscription changed', id: operation.subscription, change: operation.change })
      case 'send again':
        return service.deliveries.resend(
          organizationId,
          { statuses: ['delivered', 'exhausted', 'skipped'] },
          { newWebhookId: operation.withNewId },
        )
      case 'cancel':
        return service.deliveries.cancelPart(organizationId, { subscriptionId: operation.subscription })
      case 'retry now': {
        const { items } = await service.deliveries.list(organizationId, { statuses: ['pending'] })
        for (const { id } of items) await service.deliveries.retry(organizationId, id)
        return
      }
      case 'erase a call':
        observe({ kind: 'erased', subject: `call:${operation.callId}` })
        return service.erasures.erase(organizationId, { callId: operation.callId })
      case 'prune':
        return store.prune({ before: now() - operation.olderThanMs, limit: 100 })
    }
  }

  const begin = (operation: Operation, owner: Owner, work: () => Promise<unknown>): void => {
    const own = { owner }
    active.add(own)
    loop.schedule({ owner, delayMs: 0, label: operation.do }, () => {
      cluster.note(`${owner.name}: ${describe(operation)}`)
      work()
        .catch((error: unknown) => {
          if (!expected.some((known) => error instanceof known))
            observe({ kind: 'rejection', server: owner.name, error })
        })
        .finally(() => active.delete(own))
    })
  }

  return {
    /** Returns whether every operation has ended, by itself or with its process. */
    haveEnded: (): boolean => [...active].every(({ owner }) => owner.state === 'ended'),
    start: (operation: Operation) => {
      if (operation.do === 'create a group') {
        const owner = createOwner(operation.client)
        return begin(operation, owner, () => createGroup(operation, owner))
      }
      const server = servers.find(operation.server)
      if (server === undefined) return
      begin(operation, server.user.owner, () => perform(server, operation))
    },
  }
}

const describe = ({ at: _, do: what, ...rest }: Operation): string =>
  `${what} ${Object.values(rest).flat().map(String).join(', ')}`
