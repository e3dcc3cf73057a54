import { createClient } from 'wabakit'

const client = createClient({ baseUrl: process.env.WABAKIT_BASE_URL, apiKey: process.env.WABAKIT_API_KEY })

const { groupId } = await client.groups.create({ wabaNumber: '+15550100001', subject: 'Order 1042' })
console.log('created', groupId)
