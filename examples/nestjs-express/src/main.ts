import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { WebhooksModule } from './webhooks.module.js'

@Module({ imports: [WebhooksModule] })
class AppModule {}

const bootstrap = async () => {
  // rawBody keeps the bytes, which a signature is verified on. By default, the parser refuses bodies above 100 kB.
  const app = await NestFactory.create<NestExpressApplication>(AppModule, { rawBody: true })
  app.useBodyParser('json', { limit: '1mb' })
  // On SIGTERM, running handlers finish, and what else is stored waits for the next start.
  app.enableShutdownHooks()
  await app.listen(process.env.PORT ?? 3000)
}

void bootstrap()
