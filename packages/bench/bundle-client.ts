import { measureBundles } from './src/measure-bundles.ts'
import { writeResult } from './src/report.ts'

// Size of a bundle with the client, next to other clients.
const contenders = {
  'wabakit client': `import { createClient } from '@wabakit/client'; export const client = createClient()`,
  'wabakit client, every export': `export * from '@wabakit/client'`,
  'ky alone': `import ky from 'ky'; export default ky`,
  stripe: `import Stripe from 'stripe'; export const client = new Stripe('sk')`,
  openai: `import OpenAI from 'openai'; export const client = new OpenAI()`,
  resend: `import { Resend } from 'resend'; export const client = new Resend('re')`,
  svix: `import { Svix } from 'svix'; export const client = new Svix('sk')`,
}

const sizes = await measureBundles(contenders)
console.log('\nBundle of a client, with all dependencies')
console.table(sizes)
writeResult('bundle-client', { title: 'Bundle of a client', sizes })
