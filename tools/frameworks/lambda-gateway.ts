import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

// Calls a built Lambda function in the way that each AWS sender does. Arguments: the function's file and a port. The
// first segment of the path selects the sender; `parsed` as the second calls the export with this name. Two instances of
// the function take turns, as in Lambda, and share nothing but a table in a stand-in for DynamoDB.

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const toSingle = ({ headersDistinct }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headersDistinct).map(([name, values]) => [name, values?.join(',') ?? '']))

/** The events that a function gets, by sender. */
const senders: Record<string, (request: IncomingMessage, url: URL, body: Buffer) => object> = {
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html
  'api-gateway-v1': (request, { pathname: path, searchParams }, body) => ({
    resource: '/{proxy+}',
    path,
    httpMethod: request.method,
    headers: toSingle(request),
    multiValueHeaders: request.headersDistinct,
    queryStringParameters: Object.fromEntries(searchParams),
    multiValueQueryStringParameters: Object.fromEntries(
      [...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]),
    ),
    pathParameters: { proxy: path.slice(1) },
    stageVariables: null,
    requestContext: { resourcePath: '/{proxy+}', httpMethod: request.method, stage: 'prod', path },
    body: body.toString(),
    isBase64Encoded: false,
  }),
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
  'api-gateway-v2': (request, { pathname: path, search }, body) => ({
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: search.slice(1),
    headers: toSingle(request),
    requestContext: { http: { method: request.method, path, protocol: 'HTTP/1.1' }, stage: '$default' },
    body: body.toString(),
    isBase64Encoded: false,
  }),
  // https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
  'function-url': (request, { pathname: path, search }, body) => ({
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: search.slice(1),
    headers: toSingle(request),
    requestContext: { http: { method: request.method, path, protocol: 'HTTP/1.1' }, accountId: 'anonymous' },
    body: body.toString('base64'),
    isBase64Encoded: true,
  }),
  // https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html
  'load-balancer': (request, { pathname: path, search }, body) => ({
    requestContext: {
      elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:eu-central-1:1:targetgroup/t/1' },
    },
    httpMethod: request.method,
    path,
    // A load balancer does not decode them.
    queryStringParameters: Object.fromEntries(
      search
        .slice(1)
        .split('&')
        .map((pair) => pair.split('=')),
    ),
    headers: toSingle(request),
    body: body.toString(),
    isBase64Encoded: false,
  }),
}

const [file = '', port = ''] = process.argv.slice(2)
const installed = createRequire(pathToFileURL(file))

const table = installed('dynalite')({ createTableMs: 0 })
await new Promise<void>((listening) => table.listen(0, '127.0.0.1', listening))
Object.assign(process.env, {
  AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${table.address().port}`,
  ...{ AWS_REGION: 'local', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
})
const { CreateTableCommand, DynamoDBClient } = installed('@aws-sdk/client-dynamodb')
await new DynamoDBClient({}).send(
  new CreateTableCommand({
    TableName: 'wabakit-webhooks',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  }),
)

const { href } = pathToFileURL(file)
const instances = [await import(`${href}?instance=1`), await import(`${href}?instance=2`)]
let turn = 0
/** Reads the event with which people test the function. */
const readTestEvent = () => {
  const event = JSON.parse(readFileSync(join(dirname(file), '../event.json'), 'utf8'))
  return { ...event, rawQueryString: `token=${encodeURIComponent(process.env.WEBHOOK_TOKEN ?? '')}` }
}

const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = new URL(request.url ?? '', 'http://localhost')
  const [, sender = '', name = ''] = url.pathname.split('/')
  const createEvent = sender === 'test-event' ? readTestEvent : senders[sender]
  if (!createEvent) return void response.writeHead(404).end()
  url.pathname = `/${name}`
  const event = createEvent(request, url, await readBody(request))
  const handle = instances[turn++ % instances.length][name === 'parsed' ? 'parsed' : 'handler']
  const { statusCode, headers, body } = await handle(event, { awsRequestId: crypto.randomUUID() })
  response.writeHead(statusCode, headers).end(body)
}

// AWS itself responds to malformed requests, so here their connections are only closed.
createServer((request, response) => respond(request, response).catch(() => response.destroy())).listen(
  Number(port),
)
