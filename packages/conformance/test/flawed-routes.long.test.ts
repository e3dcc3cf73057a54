import { header, secret } from './endpoint.ts'
import { describeFlaws, type Flaw } from './flaws.ts'

const flaws: Record<string, Flaw> = {
  'verifies only bodies that state their length': {
    plant: ({ right }) => ({
      verify: (incoming) =>
        header(incoming.request, 'content-length') === '' ? undefined : right.verify(incoming),
    }),
    fail: ['refuses-wrong-secret'],
  },
  'verifies nothing that claims to be a test': {
    plant: ({ right }) => ({
      verify: (incoming) =>
        incoming.request.url?.includes('debug=true') ? undefined : right.verify(incoming),
    }),
    fail: ['refuses-wrong-secret'],
  },
  'verifies only what it parses as JSON': {
    plant: ({ right }) => ({
      verify: (incoming) =>
        header(incoming.request, 'content-type').includes('json') ? right.verify(incoming) : undefined,
    }),
    fail: ['refuses-unsigned'],
  },
  'looks up headers only by lower-case names': {
    plant: ({ right }) => ({
      verify: (incoming) =>
        incoming.request.rawHeaders.includes('webhook-id') ? right.verify(incoming) : 'missing header',
    }),
    fail: ['accepts-any-header-case'],
  },
  'takes only webhook-ids that begin with msg_': {
    plant: ({ right }) => ({
      verify: (incoming) =>
        String(incoming.request.headers['webhook-id']).startsWith('msg_')
          ? right.verify(incoming)
          : 'malformed id',
    }),
    fail: ['accepts-any-webhook-id'],
  },
  'verifies only deliveries with lower-case header names': {
    plant: ({ right }) => ({
      verify: (incoming) =>
        incoming.request.rawHeaders.some((name) => /^webhook-id$/i.test(name) && name !== 'webhook-id')
          ? undefined
          : right.verify(incoming),
    }),
    fail: ['refuses-forgery-in-any-header-case'],
  },
  'accepts its secret in the query as a signature': {
    plant: ({ right }) => ({
      verify: (incoming) =>
        incoming.request.url?.includes(`=${encodeURIComponent(secret)}`) ? undefined : right.verify(incoming),
    }),
    fail: ['refuses-secret-in-query'],
  },
  'verifies only its exact path': {
    plant: ({ right }) => ({
      verify: (incoming) =>
        incoming.request.url?.split('?')[0] === '/webhooks' ? right.verify(incoming) : undefined,
    }),
    fail: ['refuses-forgery-on-other-routes'],
  },
  'verifies only POST, but routes PUT as well': {
    plant: ({ right }) => ({
      verify: (incoming) => (incoming.request.url === '/webhooks?put' ? undefined : right.verify(incoming)),
      receive: (parts, request, response) => {
        if (request.method === 'PUT') Object.assign(request, { method: 'POST', url: '/webhooks?put' })
        return right.receive(parts, request, response)
      },
    }),
    fail: ['refuses-forgery-on-other-routes'],
    options: { only: ['refuses-forgery-on-other-routes'] },
  },
  'trusts a request that claims to come from this machine': {
    plant: ({ right }) => ({
      verify: (incoming) =>
        incoming.request.headers['x-forwarded-for'] === '127.0.0.1' ? undefined : right.verify(incoming),
    }),
    fail: ['refuses-forgery-from-nearby'],
  },
  'verifies nothing in development, which it recognizes by the host': {
    plant: ({ right }) => ({
      verify: (incoming) =>
        header(incoming.request, 'host') === 'localhost' ? undefined : right.verify(incoming),
    }),
    fail: ['refuses-forgery-from-nearby'],
  },
}

describeFlaws('an endpoint that verifies some requests only is caught for it, and for nothing else', flaws)
