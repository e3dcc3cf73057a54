import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { pathToFileURL } from 'node:url'

// Calls a built Lambda function in the way that each AWS sender does. Arguments: the function's file and a port. The
// first segment of the path selects the sender; `parsed` as the second calls the export with this name.

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const toSingle = ({ headersDistinct }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headersDistinct).map(([name, values]) => [name, values?.join(',') ?? '']))

/** The events that a function gets, by sender. */
const senders: Record<string, (request: IncomingMessage, path: string, body: Buffer) => object> = {
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html
  'api-gateway-v1': (request, path, body) => ({
    resource: '/{proxy+}',
    path,
    httpMethod: request.method,
    headers: toSingle(request),
    multiValueHeaders: request.headersDistinct,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: { proxy: path.slice(1) },
    stageVariables: null,
    requestContext: { resourcePath: '/{proxy+}', httpMethod: request.method, stage: 'prod', path },
    body: body.toString(),
    isBase64Encoded: false,
  }),
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
  'api-gateway-v2': (request, path, body) => ({
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: '',
    headers: toSingle(request),
    requestContext: { http: { method: request.method, path, protocol: 'HTTP/1.1' }, stage: '$default' },
    body: body.toString(),
    isBase64Encoded: false,
  }),
  // https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
  'function-url': (request, path, body) => ({
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: '',
    headers: toSingle(request),
    requestContext: { http: { method: request.method, path, protocol: 'HTTP/1.1' }, accountId: 'anonymous' },
    body: body.toString('base64'),
    isBase64Encoded: true,
  }),
  // https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html
  'load-balancer': (request, path, body) => ({
    requestContext: {
      elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:eu-central-1:1:targetgroup/t/1' },
    },
    httpMethod: request.method,
    path,
    queryStringParameters: {},
    headers: toSingle(request),
    body: body.toString(),
    isBase64Encoded: false,
  }),
}

const [file = '', port = ''] = process.argv.slice(2)
const exported = await import(pathToFileURL(file).href)

const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const [, sender = '', name = ''] = (request.url ?? '').split('/')
  const createEvent = senders[sender]
  if (!createEvent) return void response.writeHead(404).end()
  const event = createEvent(request, `/${name}`, await readBody(request))
  const handle = exported[name === 'parsed' ? 'parsed' : 'handler']
  const { statusCode, headers, body } = await handle(event, { awsRequestId: crypto.randomUUID() })
  response.writeHead(statusCode, headers).end(body)
}

// AWS itself responds to malformed requests, so here their connections are only closed.
createServer((request, response) => respond(request, response).catch(() => response.destroy())).listen(
  Number(port),
)
