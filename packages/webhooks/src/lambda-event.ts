/** An event of API Gateway (REST: payload 1.0, HTTP: 2.0), of a function URL, or of a load balancer. */
export type LambdaEvent = {
  /** The method, in payload 1.0 and from a load balancer. */
  readonly httpMethod?: string
  /** The path, in payload 1.0 and from a load balancer. */
  readonly path?: string
  /** The path, in payload 2.0 and from a function URL. */
  readonly rawPath?: string
  /** The query without its question mark, in payload 2.0 and from a function URL. */
  readonly rawQueryString?: string
  /** The headers; repeated ones are joined, or only the last is there. */
  readonly headers?: Readonly<Record<string, string | undefined>> | null
  /** The headers with every value, in payload 1.0 and from a load balancer. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null
  /** The method, in payload 2.0 and from a function URL. */
  readonly requestContext?: { readonly http?: { readonly method?: string } }
  /** The body as text, or as base64. */
  readonly body?: string | null
  /** Whether the body is base64. */
  readonly isBase64Encoded?: boolean
}

/** The answer, in the form that all of them take. */
export type LambdaResult = {
  /** The HTTP status. */
  readonly statusCode: number
  /** The headers. */
  readonly headers: Record<string, string>
  /** The body as text. */
  readonly body: string
  /** The body is not base64. */
  readonly isBase64Encoded: false
}
