import { PrismaPg } from '@prisma/adapter-pg'
import type { CallAiSummaryEvent, InboxContext } from 'wabakit/webhooks'
import { PrismaClient } from './generated/client.ts'

export const database = new PrismaClient({
  adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL }),
})

export const save = (event: CallAiSummaryEvent, { delivery }: InboxContext) =>
  database.$transaction(async (prisma) => {
    const data = { key: delivery.key }
    const { count } = await prisma.handledDelivery.createMany({ data, skipDuplicates: true })
    if (count === 0) return
    await prisma.summary.create({ data: { callId: event.callId, recap: event.summary.recap } })
  })
