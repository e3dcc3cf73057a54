import { urlToken } from 'wabakit/webhooks'
import { tokenInUrl } from '../account.ts'

export const verify = urlToken({ token: tokenInUrl })
