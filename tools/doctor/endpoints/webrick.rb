# A webhook endpoint on WEBrick that hands summaries to a worker. FLAW selects its mistake. Without FLAW, it is
# correct. DELAY is the time that the worker takes to handle a summary, in seconds.
require 'json'
require 'openssl'
require 'set'
require 'webrick'

FLAW = ENV['FLAW']
KEYS = ENV.values_at('SECRET', 'PREVIOUS_SECRET').map { |text| text.delete_prefix('whsec_').unpack1('m0') }
LOCK = Mutex.new
SEEN = Set.new
WORK = Queue.new

Thread.new do
  loop do
    due, line = WORK.pop
    sleep([due - Process.clock_gettime(Process::CLOCK_MONOTONIC), 0].max)
    File.write(ENV.fetch('EFFECTS'), line, mode: 'a')
  end
end

def genuine?(id, timestamp, header, body)
  return false unless !id.empty? && /\A\d{1,12}\z/.match?(timestamp) && (Time.now.to_i - timestamp.to_i).abs <= 300

  KEYS.any? do |key|
    expected = ["v1,#{[OpenSSL::HMAC.digest('SHA256', key, "#{id}.#{timestamp}.".b + body)].pack('m0')}"]
    header.split.product(expected).any? { |given, each| OpenSSL.secure_compare(given, each) }
  end
end

def keep(id, event)
  key = FLAW == 'one row per event' ? event.values_at('event', 'callId', 'groupId') : id
  return FLAW == 'one row per event' ? 409 : 200 unless LOCK.synchronize { SEEN.add?(key) }
  return 200 unless event['event'] == 'CALL_AI_SUMMARY'

  line = "#{event.fetch('callId')} #{event.fetch('summary').fetch('recap').inspect}\n"
  WORK << [Process.clock_gettime(Process::CLOCK_MONOTONIC) + ENV.fetch('DELAY', '0').to_f, line]
  202
end

def receive(request)
  return 405 unless request.request_method == 'POST'
  return 413 if request['content-length'].to_i > 1_048_576

  body = request.body.to_s.b
  id, timestamp, header = %w[id timestamp signature].map { |name| request["webhook-#{name}"].to_s }
  return 401 unless genuine?(id, timestamp, header, body)

  event = JSON.parse(body.force_encoding('UTF-8'))
  body.valid_encoding? && event.is_a?(Hash) ? keep(id, event) : 400
rescue JSON::ParserError, KeyError, NoMethodError, TypeError
  400
end

options = { BindAddress: '127.0.0.1', Port: ENV.fetch('PORT').to_i, AccessLog: [], Logger: WEBrick::Log.new(File::NULL) }
server = WEBrick::HTTPServer.new(options)
server.mount_proc('/webhooks') { |request, response| response.status = receive(request) }
server.start
