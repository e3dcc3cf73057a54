import { Buffer } from 'node:buffer'
import { answerRequest, assertFetchMethod } from './answer-request.ts'
import type { LambdaEvent, LambdaResult } from './lambda-event.ts'
import type { Receiver } from './receiver/receiver.ts'
import { toUrl } from './request-url.ts'

const headersOf = ({ headers, multiValueHeaders }: LambdaEvent): Headers => {
  const result = new Headers()
  for (const [name, value] of Object.entries(headers ?? {})) if (value !== undefined) result.set(name, value)
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) {
    result.delete(name)
    for (const value of values ?? []) result.append(name, value)
  }
  return result
}

const toRequest = (event: LambdaEvent): Request => {
  const method = event.requestContext?.http?.method ?? event.httpMethod ?? 'POST'
  assertFetchMethod(method)
  const query = event.rawQueryString ? `?${event.rawQueryString}` : ''
  const url = toUrl(`${event.rawPath ?? event.path ?? '/'}${query}`, 'https://lambda.invalid')
  const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
  const bodiless = method === 'GET' || method === 'HEAD'
  return new Request(url, { method, headers: headersOf(event), ...(!bodiless && { body }) })
}

/**
 * Makes a receiver an AWS Lambda handler, behind API Gateway (both payload versions), a function URL or a load
 * balancer. Work that goes on after an early answer is awaited, because Lambda freezes the process once it has one.
 *
 * @example
 * export const handler = toLambdaHandler(receiver)
 */
export const toLambdaHandler =
  (receiver: Pick<Receiver, 'handle'>) =>
  async (event: LambdaEvent): Promise<LambdaResult> => {
    const pending: Promise<unknown>[] = []
    const waitUntil = (work: Promise<unknown>): void => void pending.push(work)
    const answer = await answerRequest(
      () => toRequest(event),
      (request) => receiver.handle(request, { waitUntil }),
    )
    const body = await answer.text()
    await Promise.allSettled(pending)
    return {
      statusCode: answer.status,
      headers: Object.fromEntries(answer.headers),
      body,
      isBase64Encoded: false,
    }
  }

export type { LambdaEvent, LambdaResult } from './lambda-event.ts'
