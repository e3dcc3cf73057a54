import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { WebhooksModule } from './webhooks.module.js'

@Module({ imports: [WebhooksModule] })
class AppModule {}

const bootstrap = async () => {
  // rawBody keeps the bytes, which a signature is verified on.
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), {
    rawBody: true,
  })
  // On SIGTERM, running handlers finish, and what else is stored waits for the next start.
  app.enableShutdownHooks()
  await app.listen(process.env.PORT ?? 3000)
}

void bootstrap()
