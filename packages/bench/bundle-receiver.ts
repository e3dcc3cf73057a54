import { measureBundles } from './src/measure-bundles.ts'
import { writeResult } from './src/report.ts'

// Size of a bundle that receives and verifies webhooks, next to other packages.
const contenders = {
  'wabakit receiver': `import { createReceiver, standardWebhooks } from '@wabakit/webhooks'
    export const { handle } = createReceiver({ verify: standardWebhooks({ secrets: [globalThis.secret] }) })`,
  'wabakit verifySignature': `export { verifySignature } from '@wabakit/webhooks'`,
  '@octokit/webhooks': `export { Webhooks, createWebMiddleware } from '@octokit/webhooks'`,
  svix: `export { Webhook } from 'svix'`,
  standardwebhooks: `export { Webhook } from 'standardwebhooks'`,
  stripe: `import Stripe from 'stripe'; export const { webhooks } = new Stripe('sk')`,
}

const sizes = await measureBundles(contenders)
console.log('\nBundle of a receiver, with all dependencies')
console.table(sizes)
writeResult('bundle-receiver', { title: 'Bundle of a receiver', sizes })
