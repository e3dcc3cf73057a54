import { bearerAuth } from 'wabakit/webhooks'
import { bearerToken } from '../account.ts'

export const verify = bearerAuth({ token: bearerToken })
