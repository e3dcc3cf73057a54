import { createClient } from 'wabakit'

const baseUrl = 'https://api.example.com'
const apiKey = 'sk_live_1042'

export const clients = [
  createClient({ baseUrl, apiKey, auth: { header: 'Authorization', scheme: 'Bearer' } }),
  createClient({ baseUrl, apiKey, auth: { header: 'x-public-api-key' } }),
  createClient({
    baseUrl,
    auth: async (headers) => headers.set('Authorization', await readCurrentKey()),
  }),
]

const readCurrentKey = async () => `sk_live_${new Date().getUTCHours()}`
