import { toNodeHandler } from 'wabakit/webhooks/node'
import { receiver } from '../../receiver'

// A signature is verified on the bytes, so Next.js must not parse the body.
export const config = { api: { bodyParser: false } }

export default toNodeHandler(receiver)
