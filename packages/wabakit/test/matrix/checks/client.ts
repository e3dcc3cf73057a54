import * as wabakit from 'wabakit'

/** Where the client is tried, and what this kind of runtime can do. */
export type Surroundings = {
  readonly url: string
  readonly refusedUrl: string
  /** Whether failures of the network have codes. */
  readonly codes: boolean
  /** Whether the runtime hides redirects and sends its own User-Agent. */
  readonly browser: boolean
}

const apiKey = 'sk_matrix_0123456789'
const group = { wabaNumber: '+15550001111', subject: 'Order 7', groupId: 'order-7' }
const visitor = Math.random().toString(36).slice(2)

/** The client's promises, tried in whatever runtime this is; web standards only. Rejects on the first broken one. */
export const checkClient = async (around: Surroundings): Promise<string[]> => {
  const kept: string[] = []
  const hold = (promise: string, holds: unknown, seen?: unknown) => {
    if (!holds)
      throw new Error(`${promise}: does not hold; saw ${seen instanceof Error ? seen : JSON.stringify(seen)}`)
    kept.push(promise)
  }
  const client = (behaviour: string, options: wabakit.ClientOptions = {}) =>
    wabakit.createClient({ baseUrl: `${around.url}/${behaviour}/${visitor}`, apiKey, ...options })
  const failure = async (promise: Promise<unknown>): Promise<unknown> => {
    try {
      return new Error(`resolved to ${JSON.stringify(await promise)}`)
    } catch (error) {
      return error
    }
  }
  const named = (error: unknown, name: string) => wabakit.isWabakitError(error) && error.name === name

  const created = await client('ok').groups.create(group).withResponse()
  hold('creates a group', created.data.groupId === 'order-7' && created.requestId === 'req_1', created)

  const record = await client('ok').calls.getSummary('a/b?c=d&é')
  const headers = JSON.parse(record.summary.recap)
  hold('fetches a summary by an encoded id', record.callId === 'a/b?c=d&é', record)
  hold('sends the key', headers.authorization === apiKey, headers)
  const agent = String(headers['user-agent'])
  hold('says who is calling', agent.startsWith(around.browser ? 'Mozilla/' : 'wabakit/'), agent)

  const refused = await failure(client('400').groups.create(group))
  hold(
    'rejects by status',
    refused instanceof wabakit.BadRequestError && refused.code === 'invalid_subject',
    refused,
  )
  const shown = `${refused} ${JSON.stringify(refused)} ${refused instanceof Error && refused.stack}`
  hold('keeps the key out of errors', shown.includes('[redacted]') && !shown.includes(apiKey), shown)

  const redirected = await failure(client('redirect').groups.create(group))
  hold('follows no redirect', named(redirected, 'ResponseFormatError'), redirected)

  hold('repeats a create after 503 storage_unavailable', (await client('once').groups.create(group)).success)
  const { groupId } = await client('ok').groups.create({ ...group, groupId: undefined })
  hold('generates a groupId', /^wagrp_[0-9A-HJKMNP-TV-Z]{26}$/.test(groupId), groupId)

  const slow = client('hang', { timeoutMs: 100, retry: { limit: 0 } })
  hold('limits a read', named(await failure(slow.calls.getSummary('c')), 'TimeoutError'))
  hold(
    'does not know what became of a create without an answer',
    named(await failure(slow.groups.create(group)), 'OutcomeUnknownError'),
  )

  const controller = new AbortController()
  const reason = new Error('enough')
  setTimeout(() => controller.abort(reason), 50)
  hold(
    'stops with the reason itself',
    (await failure(client('hang').groups.create(group, controller))) === reason,
  )

  const dropped = client('drop', { retry: { limit: 0 } })
  hold('reports a lost read', named(await failure(dropped.calls.getSummary('c')), 'ConnectionError'))
  hold(
    'does not repeat a lost create',
    named(await failure(dropped.groups.create(group)), 'OutcomeUnknownError'),
  )

  const nowhere = wabakit.createClient({
    baseUrl: around.refusedUrl,
    apiKey,
    retry: { limit: 1, backoffMs: [0, 0] },
  })
  const name = around.codes ? 'ConnectionError' : 'OutcomeUnknownError'
  const unconnected = await failure(nowhere.groups.create(group))
  hold(`reports a refused create as ${name}`, named(unconnected, name), unconnected)

  const waited = await client('pending').calls.waitForSummary('c', { intervalMs: 20 })
  hold('waits for a summary', waited.callId === 'c', waited)
  return kept
}
