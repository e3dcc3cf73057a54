import { endpoints } from '@wabakit/contract'
import { type ApiExchange, type ApiRequest, buildCurl, unknownKey } from './api/api-request.ts'
import { createSender } from './api/create-sender.ts'
import { formatUrl, type ServerSettings } from './settings.ts'

/** A shorter key may be part of another word. */
const minKeyLength = 8

/** The values that checks need, by the options that provide them. */
const listGiven = (settings: ServerSettings) => ({
  '--api-key': settings.apiKey,
  '--waba-number': settings.wabaNumber,
  '--other-key': settings.otherKey,
  '--foreign-key': settings.foreignKey,
  '--disabled-number': settings.disabledNumber,
  '--listen': settings.listener,
  '--secret': settings.secret,
  '--play': settings.play,
  '--minutes': settings.minutes || undefined,
  '--wabakit-control': settings.simulate.moveParticipant,
})

/** An option that a check needs. */
export type Need = keyof ReturnType<typeof listGiven>

/** The operations and settings of all checks. */
export type Lab = ReturnType<typeof createLab>

export const createLab = (settings: ServerSettings) => {
  const { listener, play, simulate, profile, authHeader, setKeyCommand } = settings
  const { wabaNumber = '', disabledNumber = '', secret = '', timeoutMs, retryTimeoutMs, quietMs } = settings
  const baseUrl = formatUrl(settings.baseUrl)
  const given = Object.entries(listGiven(settings)).filter(([, value]) => value !== undefined)
  const callIds = new Set<string>()
  const repeatedIds = new Set<string>()
  const keys = [unknownKey, settings.apiKey, settings.otherKey, settings.foreignKey]
  let hasUnknown = false
  const note =
    <Options extends unknown[]>(make: (...options: Options) => Promise<string>) =>
    async (...options: Options): Promise<string> => {
      try {
        const id = await make(...options)
        if (callIds.has(id)) repeatedIds.add(id)
        callIds.add(id)
        return id
      } catch (error) {
        hasUnknown = true
        throw error
      }
    }
  const startedAt = Date.now()
  const run = startedAt.toString(36)
  let ids = 0
  return {
    ...createSender(settings),
    baseUrl,
    /** When the run began, as Unix time in milliseconds. */
    startedAt,
    isLive: profile === 'live',
    wabaNumber,
    disabledNumber,
    secret,
    listener,
    keyHasLetters: /[a-z]/i.test(settings.apiKey ?? ''),
    /**
     * Times to wait for a response or webhook, for a second attempt, and for a webhook that must not arrive, in
     * milliseconds.
     */
    wait: { timeoutMs, retryTimeoutMs, quietMs },
    /** The options that this run was given. */
    has: new Set(given.map(([need]) => need)) as ReadonlySet<Need>,
    play: play && note(play),
    simulate: {
      ...simulate,
      playSilentBotTest: simulate.playSilentBotTest && note(simulate.playSilentBotTest),
      playManualCall: simulate.playManualCall && note(simulate.playManualCall),
    },
    /** Returns the ids of all calls so far, or `undefined` if the id of a failed call is unknown. */
    callIds: (): ReadonlySet<string> | undefined => (hasUnknown ? undefined : callIds),
    /** The ids that several calls had. */
    repeatedIds: repeatedIds as ReadonlySet<string>,
    /** Returns whether a text contains one of the keys. */
    hasKey: (text: string): boolean =>
      keys.some((key = '') => key.length >= minKeyLength && text.includes(key)),
    createGroupId: (): string => {
      ids += 1
      // Includes capital letters, which a server must not change.
      return `Check-${run}-${ids}`
    },
    /** Returns shell commands that repeat the requests. */
    reproduce: (requests: readonly ApiRequest[]): string =>
      [
        ...(setKeyCommand === undefined ? [] : [setKeyCommand]),
        ...requests.map((request) => buildCurl(request, { baseUrl, profile, authHeader })),
      ].join(' &&\n'),
  }
}

/** A number without an integration. */
export const unknownNumber = '+19995550000'

/** Returns a valid create request with some fields replaced. A field that is `undefined` is omitted. */
export const buildCreate = (lab: Lab, fields: object = {}, rest: Partial<ApiRequest> = {}): ApiRequest => ({
  ...endpoints['groups.create'],
  key: 'api',
  contentType: 'application/json',
  body: JSON.stringify({
    wabaNumber: lab.wabaNumber,
    subject: 'Acceptance check',
    groupId: lab.createGroupId(),
    ...fields,
  }),
  ...rest,
})

/** Returns a request for a call's summary. `undefined` omits the query. */
export const buildFetch = (callId: string | undefined, rest: Partial<ApiRequest> = {}): ApiRequest => {
  const { method, path } = endpoints['calls.getSummary']
  const query = callId === undefined ? '' : `?callId=${encodeURIComponent(callId)}`
  return { method, path: path + query, key: 'api', ...rest }
}

export const describeResponse = ({ response: { status, text } }: ApiExchange): string => {
  if (status === 0) return `no response (${text})`
  return text === '' ? `${status} without a body` : `${status} ${text.slice(0, 200)}`
}
