import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { WebhooksController } from './webhooks.controller.js'

@Module({ controllers: [WebhooksController] })
class AppModule {}

// rawBody keeps the bytes that the signature is verified on.
const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), {
  rawBody: true,
})
await app.listen(process.env.PORT ?? 3000)
