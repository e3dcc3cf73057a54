import { isEventName } from '@wabakit/contract'
import {
  type Answer,
  type FieldKind,
  findEventForm,
  findKind,
  isStateField,
  type MeasuredProfile,
  playField,
  readPath,
} from '@wabakit/contract/profile'
import type { DeliveryRequest, LoadedDelivery } from '@wabakit/core'
import type { LiveSettings } from '@wabakit/core/simulation'
import { signWebhook } from '@wabakit/webhooks'
import { writeJson } from '@wabakit/wire'
import type { Choose } from './choose-value.ts'

type Fields = Readonly<Record<string, unknown>>

type MeasuredDeliveries = {
  readonly profile: MeasuredProfile
  readonly choose: Choose
  readonly settings: LiveSettings
  readonly live: Pick<typeof import('@wabakit/core/live'), 'toLivePayload' | 'toLiveDelivery'>
}

/** A request that need not be a POST: the query of another method may carry the event. */
export type MeasuredRequest = Omit<DeliveryRequest, 'method'> & {
  readonly method: string
  readonly query?: string
  /** The event as JSON, wherever the request has its fields. */
  readonly payload: string
}

const flatten = (body: Fields): [name: string, value: string][] =>
  Object.entries(body).map(([name, value]) => [name, typeof value === 'string' ? value : writeJson(value)])

const boundary = 'wabakit-7d1f0c2b'

const writeMultipart = (fields: readonly (readonly [string, string])[]): string =>
  `${fields
    .map(
      ([name, value]) =>
        `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    .join('')}--${boundary}--\r\n`

/** Changes webhooks into those of the measured service. What was not measured is as in the profile `live`. */
export const createMeasuredDeliveries = ({ profile, choose, settings, live }: MeasuredDeliveries) => {
  const { deliveries, events } = profile

  /**
   * Chooses the kind of a field. If the state of the call decides whether the field is set, chooses from the kinds that fit
   * the state, if there are any.
   */
  const chooseKind = (
    question: string,
    { answer, isUnset, path }: { answer: Answer<FieldKind> | undefined; isUnset: boolean; path: string },
  ) => {
    if (answer === undefined || !isStateField(path)) return choose(question, answer)
    const isOfState = ({ value }: { readonly value: unknown }): boolean =>
      isUnset ? value === 'empty' || value === 'null' : value !== 'empty'
    const values = answer.values.filter(isOfState)
    return choose(`${question} ${isUnset}`, values.length > 0 ? { ...answer, values } : answer)
  }

  /** Gives each measured field one of its kinds. */
  const playFields = (
    name: string,
    { source, body }: { readonly source: Fields; readonly body: Fields },
  ): Fields => {
    if (!isEventName(name)) return body
    const form = findEventForm(name, { channel: body.channel ?? source.channel })
    return Object.entries(events[form] ?? {}).reduce<Fields>((played, [path, answer]) => {
      const value = readPath(played, path)
      const chosen = chooseKind(`${form} ${path}`, { answer, isUnset: value === '', path })
      if (chosen === undefined) return played
      if (value !== undefined && chosen.value === findKind(path, value)) return played
      return playField(played, { path, kind: chosen.value, source })
    }, body)
  }

  const playPayload = (payload: string): string => {
    const source: Fields = JSON.parse(payload)
    const name = String(source.event)
    const isOfGroup = name.startsWith('GROUP_')
    const nameField = isOfGroup ? choose('groupEventName', deliveries.groupEventName)?.value : undefined
    const groupEventNames = nameField === undefined ? settings.groupEventNames : nameField !== 'none'
    const body: Fields = JSON.parse(live.toLivePayload(payload, { ...settings, groupEventNames }))
    const played = playFields(name, { source, body })
    if (nameField !== 'eventType') return writeJson(played)
    const { event, ...others } = played
    return writeJson({ eventType: event, ...others })
  }

  /** The converted payloads, by the original ones: every attempt of an event must have the same body. */
  const payloads = new Map<string, string>()
  const toPayload = (payload: string): string => {
    const played = payloads.get(payload) ?? playPayload(payload)
    payloads.set(payload, played)
    return played
  }

  /** Moves the fields of a body to where they were seen. */
  const format = (
    request: MeasuredRequest,
    { subscription }: Pick<LoadedDelivery, 'subscription'>,
  ): MeasuredRequest => {
    const method = choose(`method ${subscription.id}`, deliveries.method)?.value ?? request.method
    const bodiless = method === 'GET' || method === 'HEAD'
    const seen = choose(`format ${subscription.id}`, deliveries.format)?.value ?? 'json'
    const place = bodiless && seen !== 'none' ? 'query' : seen
    if (place === 'json') return { ...request, method }
    const { 'content-type': _, ...headers } = request.headers
    const fields = flatten(JSON.parse(request.body))
    const query = `${new URLSearchParams(fields)}`
    switch (place) {
      case 'query':
        return { ...request, method, headers, body: '', query }
      case 'none':
        return { ...request, method, headers, body: '' }
      case 'urlencoded':
        return {
          ...request,
          method,
          body: query,
          headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        }
      default: {
        const type = `multipart/form-data; boundary=${boundary}`
        return {
          ...request,
          method,
          body: writeMultipart(fields),
          headers: { ...headers, 'content-type': type },
        }
      }
    }
  }

  return {
    toPayload,
    /** Turns a signed request into one that the measured service sends. */
    prepare: async (
      init: DeliveryRequest,
      { event, subscription, delivery }: Pick<LoadedDelivery, 'event' | 'subscription' | 'delivery'>,
    ): Promise<MeasuredRequest> => {
      const sent = live.toLiveDelivery(init, { event, subscription, settings })
      const body = event.hasCustomPayload ? event.payload : toPayload(event.payload)
      const id = choose(`id ${subscription.id}`, deliveries.id)?.value && { 'webhook-id': delivery.webhookId }
      const isSigned = choose(`signature ${subscription.id}`, deliveries.signature)?.value !== undefined
      const { secret } = subscription
      const signed = isSigned
        ? await signWebhook({ payload: body, secret, id: delivery.webhookId })
        : undefined
      const headers = { ...sent.headers, ...id, ...signed?.headers }
      return format({ ...sent, body, payload: body, headers }, { subscription })
    },
  }
}
