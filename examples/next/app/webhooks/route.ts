import { receiver } from '../../receiver'

export const POST = receiver.handle
