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
import { createOwner, type Owner } from '../virtual/scheduler.ts'
import { wait } from '../virtual/timers.ts'
import type { ApiNetwork } from './api-network.ts'
import type { Endpoint } from './endpoints.ts'
import { apiKey, buildSecret, organizationId, wabaNumber } from './organization.ts'
import { getTrueTime, type RunContext } from './run-context.ts'
import type { Servers } from './servers.ts'

export type OperationsContext = RunContext & {
  readonly servers: Servers
  readonly api: ApiNetwork
  readonly endpoints: ReadonlyMap<string, Endpoint>
}

/** Performs the operations of users. */
export type Operations = {
  start(operation: Operation): void
  /** Returns whether every awaited operation has ended. */
  haveEnded(): boolean
}

/** Errors that users may get when an operation is not possible or the store fails. */
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
      await calls.accept(organizationId, callId)
      break
    case 'end':
      await calls.end(organizationId, callId)
      break
    case 'summarize':
      await summaries.save(organizationId, callId, summary, { generatedBy: 'automatic' })
  }
}

export const createOperations = (context: OperationsContext): Operations => {
  const { draws, scheduler, servers, api, endpoints, observe } = context
  const clients = new Map<string, Owner>()
  const active = new Set<{ readonly owner: Owner }>()

  const acknowledge = (name: string, subject: string): void => observe({ kind: 'step ended', name, subject })

  const getClient = (name: string): Owner => {
    const owner = clients.get(name) ?? createOwner(name)
    clients.set(name, owner)
    return owner
  }

  const createGroup = async (
    operation: Extract<Operation, { do: 'create a group' }>,
    owner: Owner,
  ): Promise<void> => {
    const { client: name, groupId, subject, retries } = operation
    const client = createClient({
      baseUrl: 'https://api.example',
      apiKey,
      fetch: api.connect({ name, owner }),
      clock: { now: () => getTrueTime(context), sleep: async (ms) => void (await wait(ms)) },
      random: draws.stream(`${name} at ${scheduler.now()}`),
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
    { subscription, change }: Extract<Operation, { do: 'change a subscription' }>,
  ): Promise<void> => {
    const endpoint = endpoints.get(subscription.replace('subscription', 'endpoint'))
    if (endpoint === undefined) return
    switch (change) {
      case 'rotate the secret': {
        endpoint.expectNextSecret()
        const secret = buildSecret(subscription, endpoint.secretNumber)
        const overlapMs = draws.pick('overlap', [0, 1_000, 86_400_000])
        await subscriptions.rotateSecret(organizationId, subscription, { secret, overlapMs })
        break
      }
      case 'change the URL':
        await subscriptions.update(organizationId, subscription, {
          url: `https://${endpoint.name}.example/moved`,
        })
        break
      case 'limit the attempts':
        await subscriptions.update(organizationId, subscription, {
          maxAttemptsPerSecond: draws.pick('attempts per second', attemptLimits),
        })
        break
      case 'disable':
      case 'enable':
        await subscriptions.update(organizationId, subscription, { enabled: change === 'enable' })
        break
      case 'remove':
        await subscriptions.remove(organizationId, subscription)
    }
  }

  const perform = async (service: ReferenceServer, operation: Operation): Promise<void> => {
    switch (operation.do) {
      case 'create a group':
        break
      case 'make a call':
        for (const step of operation.steps) {
          await takeStep(service, operation.callId, step)
          if (step !== 'summarize') acknowledge(callEvents[step], `call:${operation.callId}`)
          await wait(
            draws.between('between steps', [0, draws.pick('pace of a call', [0, 10, 40, 100, 5_000])]),
          )
        }
        break
      case 'summarize a call':
        await service.summaries.save(organizationId, operation.callId, summary, {
          generatedBy: 'team_member',
        })
        break
      case 'move a participant':
        for (const move of operation.moves) {
          const { groupId, phone } = operation
          await service.participants[move](organizationId, { groupId, phone })
          acknowledge(moveEvents[move], `group:${groupId}`)
        }
        break
      case 'change a subscription':
        observe({ kind: 'subscription changing', id: operation.subscription })
        await changeSubscription(service, operation)
        observe({ kind: 'subscription changed', id: operation.subscription, change: operation.change })
        break
      case 'send again':
        await service.deliveries.resend(
          organizationId,
          { statuses: ['delivered', 'exhausted', 'skipped'] },
          { newWebhookId: operation.withNewId },
        )
        break
      case 'cancel':
        await service.deliveries.cancelAll(organizationId, { subscriptionId: operation.subscription })
        break
      case 'retry now': {
        const { items } = await service.deliveries.list(organizationId, { statuses: ['pending'] })
        for (const { id } of items) await service.deliveries.retry(organizationId, id)
        break
      }
      case 'erase a call':
        observe({ kind: 'erased', subject: `call:${operation.callId}` })
        await service.erasures.erase(organizationId, { callId: operation.callId })
        break
      case 'prune':
        break
    }
  }

  const prune = async (server: string, olderThanMs: number): Promise<void> => {
    const store = servers.find(server)?.store
    await store?.prune({ before: getTrueTime(context) - olderThanMs, limit: 100 })
  }

  const begin = (operation: Operation, owner: Owner, work: () => Promise<void>): void => {
    const own = { owner }
    active.add(own)
    scheduler.schedule({ owner, delayMs: 0, label: operation.do }, () => {
      context.note(`${owner.name}: ${describe(operation)}`)
      work()
        .catch((error: unknown) => {
          if (!expected.some((known) => error instanceof known))
            observe({ kind: 'rejection', server: owner.name, error })
        })
        .finally(() => active.delete(own))
    })
  }

  return {
    haveEnded: () => [...active].every(({ owner }) => owner.state === 'ended'),
    start: (operation) => {
      if (operation.do === 'create a group') {
        const owner = getClient(operation.client)
        return begin(operation, owner, () => createGroup(operation, owner))
      }
      const server = servers.find(operation.server)
      if (server === undefined) return
      begin(operation, server.user.owner, () =>
        operation.do === 'prune'
          ? prune(server.name, operation.olderThanMs)
          : perform(server.service, operation),
      )
    },
  }
}

/** Describes an operation in words. */
const describe = ({ at: _, do: what, ...rest }: Operation): string =>
  `${what} ${Object.values(rest).flat().map(String).join(', ')}`
