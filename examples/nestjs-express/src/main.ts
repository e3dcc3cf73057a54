import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { WebhooksController } from './webhooks.controller.js'

@Module({ controllers: [WebhooksController] })
class AppModule {}

// rawBody keeps the bytes that the signature is verified on.
const app = await NestFactory.create<NestExpressApplication>(AppModule, { rawBody: true })
// By default, the parser refuses bodies above 100 kB, so that they are lost.
app.useBodyParser('json', { limit: '1mb' })
await app.listen(process.env.PORT ?? 3000)
