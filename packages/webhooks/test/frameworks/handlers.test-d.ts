import type { Receiver } from '@wabakit/webhooks'
import { toLambdaHandler } from '@wabakit/webhooks/lambda'
import { expectTypeOf, test } from 'vitest'

declare const receiver: Receiver

test('handle is a route of Next.js', () => {
  // The check that Next.js 15 generates: the first parameter of a route must be assignable to a request.
  type FirstArg<Route> = Route extends (...values: [infer First, never]) => unknown ? First : never
  expectTypeOf<FirstArg<Receiver['handle']>>().toExtend<Request>()
  // The check of Next.js 16.
  type RouteHandler = (request: Request, context: { params: Promise<object> }) => Promise<Response>
  expectTypeOf<Receiver['handle']>().toExtend<RouteHandler>()
})

test('handle is a route of SvelteKit, React Router, Astro, Cloudflare Pages, h3 2 and Hono', () => {
  type Held = { readonly request: Request; readonly params: object; readonly url: URL }
  type Held2 = { readonly req: Request; readonly url: URL }
  type Hono = { readonly req: { readonly raw: Request; readonly url: string } }
  expectTypeOf<Receiver['handle']>().toExtend<(event: Held) => Response | Promise<Response>>()
  expectTypeOf<Receiver['handle']>().toExtend<(event: Held2) => unknown>()
  expectTypeOf<Receiver['handle']>().toExtend<(context: Hono) => Promise<Response>>()
})

test('toLambdaHandler returns an APIGatewayProxyHandler and an ALBHandler', () => {
  // As in @types/aws-lambda 8.
  interface Headers {
    [name: string]: string | undefined
  }
  interface MultiValueHeaders {
    [name: string]: string[] | undefined
  }
  interface Result {
    statusCode: number
    headers?: { [header: string]: boolean | number | string } | undefined
    body: string
    isBase64Encoded?: boolean | undefined
  }
  interface ApiGatewayEvent {
    body: string | null
    headers: Headers
    multiValueHeaders: MultiValueHeaders
    httpMethod: string
    isBase64Encoded: boolean
    path: string
    queryStringParameters: Headers | null
    requestContext: { accountId: string; apiId: string; httpMethod: string; requestId: string; stage: string }
    resource: string
  }
  interface LoadBalancerEvent {
    requestContext: { elb: { targetGroupArn: string } }
    httpMethod: string
    path: string
    headers?: Headers | undefined
    multiValueHeaders?: MultiValueHeaders | undefined
    body: string | null
    isBase64Encoded: boolean
  }
  interface HttpApiEvent {
    version: string
    rawPath: string
    rawQueryString: string
    headers: Headers
    requestContext: { accountId: string; http: { method: string; path: string }; requestId: string }
    body?: string
    isBase64Encoded: boolean
  }
  type Handler<Event> = (event: Event, context: object) => Promise<Result>
  const handler = toLambdaHandler(receiver)
  expectTypeOf(handler).toExtend<Handler<ApiGatewayEvent>>()
  expectTypeOf(handler).toExtend<Handler<LoadBalancerEvent>>()
  expectTypeOf(handler).toExtend<Handler<HttpApiEvent>>()
})
