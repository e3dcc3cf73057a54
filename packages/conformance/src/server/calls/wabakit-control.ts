import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { readText } from '@wabakit/wire'
import { checkName } from '../../names.ts'
import { readField } from '../api/api-request.ts'
import type { PlayCall, PlayedOutcome, Simulate } from './simulate.ts'

const wabaNumber = '+15550190001'
const disabledNumber = '+15550190002'
const otherNumber = '+15550190003'
const pstnNumber = '+15550190004'
const customerNumber = '+15550190009'
const agentNumber = '+15550190008'

/**
 * Duration of the ringing, and then of the conversation, in milliseconds: long enough to fetch the summary
 * during the call.
 */
const pauseMs = 100

const createKey = (): string => `wk_${randomBytes(24).toString('hex')}`

/**
 * Creates an organization on a wabakit server, with numbers, keys and subscriptions, through its control API.
 *
 * @param address - `url` is the base URL of the server, without `/_wabakit`.
 */
export const prepareOrganization = async (address: {
  url: string
  token?: string | undefined
  webhookUrl: string
}) => {
  const { url, token, webhookUrl } = address
  const base = `${url.replace(/\/+$/, '')}/_wabakit`
  const id = `acceptance-${randomBytes(5).toString('hex')}`
  const send = async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers = new Headers()
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    if (body !== undefined) headers.set('content-type', 'application/json')
    const init = { method, headers, body: JSON.stringify(body) ?? null, signal: AbortSignal.timeout(15_000) }
    await checkName(url)
    const response = await fetch(`${base}${path}`, init)
    const text = (await readText(response, 1_048_576)) ?? ''
    if (!response.ok)
      throw new Error(`The control API refused ${method} ${path} (${response.status}): ${text.slice(0, 300)}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  const path = `/organizations/${id}`
  const foreignPath = `${path}-foreign`
  const [apiKey, otherKey, foreignKey] = [createKey(), createKey(), createKey()]
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  await send('POST', '/organizations', {
    id,
    integrations: [
      { wabaNumber },
      { wabaNumber: disabledNumber, enabled: false },
      { wabaNumber: otherNumber },
    ],
    pstnNumbers: [pstnNumber],
    callSummaries: 'automatic',
    apiKeys: [{ key: apiKey }, { key: otherKey, wabaNumbers: [otherNumber] }],
  })
  const subscribe = (subscription: object): Promise<unknown> =>
    send('POST', `${path}/subscriptions`, { secret, ...subscription })
  let hasForeign = false
  const remove = async (): Promise<void> => {
    await send('DELETE', path)
    if (hasForeign) await send('DELETE', foreignPath)
  }
  try {
    await subscribe({ channel: 'WHATSAPP', number: wabaNumber, url: `${webhookUrl}/whatsapp` })
    await subscribe({ channel: 'PSTN', number: pstnNumber, url: `${webhookUrl}/pstn` })
    await send('POST', '/organizations', { id: `${id}-foreign`, apiKeys: [{ key: foreignKey }] })
    hasForeign = true
  } catch (error) {
    await remove().catch(() => {})
    throw error
  }

  let calls = 0
  const startCall = async (channel: 'PSTN' | 'WHATSAPP', options: object = {}): Promise<string> => {
    calls += 1
    const isOutgoing = calls % 2 === 0
    const call = await send('POST', `${path}/calls`, {
      channel,
      channelNumber: channel === 'PSTN' ? pstnNumber : wabaNumber,
      customerNumber,
      direction: isOutgoing ? 'OUTGOING' : 'INCOMING',
      ...(isOutgoing ? { callType: 'AI_BOT', triggeredVia: 'API' } : { callType: 'AGENT', agentNumber }),
      ...options,
    })
    return String(readField(call, 'callId'))
  }
  const moveCall = (callId: string, step: object): Promise<unknown> =>
    send('POST', `${path}/calls/${encodeURIComponent(callId)}/steps`, step)
  const saveSummary = (callId: string, recap: string, generatedBy = 'automatic'): Promise<unknown> =>
    send('POST', `${path}/calls/${encodeURIComponent(callId)}/summary`, {
      recap,
      keyPoints: ['Order 1042 has not arrived'],
      nextSteps: ['Send the tracking link'],
      generatedBy,
    })
  const answerCall = async (callId: string, ending: object): Promise<void> => {
    await sleep(pauseMs)
    await moveCall(callId, { step: 'accept', startedAt: new Date(Date.now() - 42_000).toISOString() })
    await sleep(pauseMs)
    await moveCall(callId, { step: 'end', recorded: true, spoken: true, ...ending })
  }
  const play: PlayCall = async ({ outcome, channel }) => {
    const callId = await startCall(channel)
    const steps: Readonly<Record<PlayedOutcome, () => Promise<unknown>>> = {
      missed: () => moveCall(callId, { step: 'miss' }),
      rejected: () => moveCall(callId, { step: 'reject' }),
      no_recording: () => answerCall(callId, { recorded: false }),
      nothing_said: () => answerCall(callId, { spoken: false }),
      answered: async () => {
        await answerCall(callId, {})
        await saveSummary(callId, 'The customer asked where order 1042 is.')
      },
    }
    await steps[outcome]()
    return callId
  }

  const simulate: Required<Simulate> = {
    regenerateSummary: async (callId) => {
      await saveSummary(callId, 'The customer asked again where order 1042 is.', 'team_member')
    },
    playSilentBotTest: async () => {
      const callId = await startCall('PSTN', {
        direction: 'OUTGOING',
        callType: 'AI_BOT',
        triggeredVia: 'API',
        agentNumber: undefined,
        botTest: { webhooks: false },
      })
      await answerCall(callId, {})
      await saveSummary(callId, 'A test.')
      return callId
    },
    moveParticipant: async ({ groupId, phone, step }) => {
      await send('POST', `${path}/participants`, { groupId, phone, state: step })
    },
    addSubscription: async (subscription) => {
      const added = await subscribe({ channel: 'WHATSAPP', number: otherNumber, ...subscription })
      const at = `${path}/subscriptions/${readField(added, 'id')}/rotate-secret`
      return {
        wabaNumber: otherNumber,
        rotateSecret: async () => String(readField(await send('POST', at, {}), 'secret')),
      }
    },
    playManualCall: async () => {
      await send('PATCH', path, { callSummaries: 'manual' })
      const callId = await startCall('PSTN')
      await answerCall(callId, {})
      return callId
    },
  }

  const bearer = token === undefined ? '' : ' -H "Authorization: Bearer $WABAKIT_CONTROL_TOKEN"'
  return {
    apiKey,
    otherKey,
    foreignKey,
    wabaNumber,
    disabledNumber,
    secret,
    play,
    simulate,
    /** A shell command that sets $WABAKIT_API_KEY for the commands in a report. */
    setKeyCommand: `WABAKIT_API_KEY=$(curl -s -X POST '${base}${path}/api-keys'${bearer} -H 'content-type: application/json' -d '{}' | sed 's/.*"key":"\\([^"]*\\)".*/\\1/')`,
    remove,
  }
}
