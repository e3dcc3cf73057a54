import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { readText } from '@wabakit/wire'
import { decodeKey, signContent } from '../../endpoint/payloads.ts'
import { parseJson, readField } from '../api/api-request.ts'

const maxBodyBytes = 1_048_576

const readString = (json: unknown, name: string): string => {
  const value = readField(json, name)
  return typeof value === 'string' ? value : ''
}

const toHeaders = ({ headersDistinct }: IncomingMessage): Headers =>
  new Headers(
    Object.entries(headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    ),
  )

/** Reads a request to the listener of `acceptance` as a webhook. Absent fields become empty strings. */
export const readWebhook = async (request: IncomingMessage) => {
  const body = Readable.toWeb(request) as ReadableStream<Uint8Array>
  const text = (await readText({ body }, maxBodyBytes)) ?? ''
  const json = parseJson(text)
  return {
    method: request.method ?? '',
    path: request.url ?? '/',
    headers: toHeaders(request),
    /** The raw body; empty if it has more than 1 MiB. */
    text,
    /** The parsed body, or `undefined` if it is not JSON. */
    json,
    event: readString(json, 'event'),
    callId: readString(json, 'callId'),
    groupId: readString(json, 'groupId'),
    /** The time of arrival, as Unix time in milliseconds. */
    arrivedAt: Date.now(),
  }
}

/** A webhook and the status of its response. */
export type ReceivedWebhook = Awaited<ReturnType<typeof readWebhook>> & { readonly status: number }

/** Removes redeliveries of accepted webhooks, because at-least-once delivery allows them. */
export const withoutRedeliveries = (webhooks: readonly ReceivedWebhook[]): ReceivedWebhook[] => {
  const accepted = new Set<string>()
  return webhooks.filter(({ headers, status }) => {
    const id = headers.get('webhook-id') ?? ''
    if (accepted.has(id)) return false
    if (id !== '' && status === 204) accepted.add(id)
    return true
  })
}

/**
 * Checks a webhook's signature (Standard Webhooks 1.0), independently of the code that the examined server may use.
 *
 * @returns the problem, or `undefined` if there is none.
 */
export const checkSignature = ({ headers, text }: ReceivedWebhook, secret: string): string | undefined => {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    headers.get(`webhook-${name}`),
  )
  if (!id || !timestamp || !signatures)
    return 'the webhook has no webhook-id, webhook-timestamp or webhook-signature'
  const expected = Buffer.from(signContent(decodeKey(secret), `${id}.${timestamp}.${text}`), 'base64')
  const isValid = signatures.split(' ').some((each) => {
    const [version, value = ''] = each.split(',')
    return version === 'v1' && Buffer.from(value, 'base64').equals(expected)
  })
  return isValid ? undefined : 'no v1 signature matches the body and the secret'
}
