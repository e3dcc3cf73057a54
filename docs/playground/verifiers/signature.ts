import { standardWebhooks } from 'wabakit/webhooks'
import { secret } from '../account.ts'

export const verify = standardWebhooks({ secrets: [secret] })
