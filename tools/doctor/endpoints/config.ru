# A webhook endpoint as a Rack application. FLAW selects its mistake. Without FLAW, it is correct.
require 'json'
require 'openssl'
require 'set'

FLAW = ENV['FLAW']
KEYS = ENV.values_at('SECRET', 'PREVIOUS_SECRET').map { |text| text.delete_prefix('whsec_').unpack1('m0') }
KEYS << ENV['OLDEST_SECRET'].to_s.unpack1('m') if FLAW == 'missing secret' # nil.to_s is '', an empty key
LOCK = Mutex.new
SEEN = Set.new

# Returns whether the id appears for the first time.
def first?(id)
  LOCK.synchronize { !SEEN.add?(id).nil? }
end

def genuine?(id, timestamp, header, body)
  return false if id.empty? || (FLAW != 'to_i' && !/\A\d{1,12}\z/.match?(timestamp))
  return false if (Time.now.to_i - timestamp.to_i).abs > 300

  timestamp = timestamp.to_i if FLAW == 'to_i'
  digests = KEYS.map { |key| OpenSSL::HMAC.digest('SHA256', key, "#{id}.#{timestamp}.".b + body) }
  expected = digests.map { |digest| [digest].pack('m0') }
  return expected.any? { |each| header.include?(each) } if FLAW == 'include?'

  header.split.product(expected).any? { |given, each| OpenSSL.secure_compare(given, "v1,#{each}") }
end

def handle(event)
  return unless event['event'] == 'CALL_AI_SUMMARY'

  line = "#{event.fetch('callId')} #{event.fetch('summary').fetch('recap').inspect}\n"
  File.write(ENV.fetch('EFFECTS'), line, mode: 'a')
end

def receive(env)
  return 405 unless env['REQUEST_METHOD'] == 'POST'
  return 413 if env['CONTENT_LENGTH'].to_i > 1_048_576

  id, timestamp, header = %w[ID TIMESTAMP SIGNATURE].map { |name| env["HTTP_WEBHOOK_#{name}"].to_s }
  return 200 if FLAW == 'looks up first' && !first?(id)

  body = env['rack.input'].read.to_s
  return 401 unless genuine?(id, timestamp, header, body)

  event = JSON.parse(body.force_encoding('UTF-8'))
  return 400 unless body.valid_encoding? && event.is_a?(Hash)

  id = event.values_at('event', 'groupId').append(timestamp) if FLAW == 'seconds'
  id = event.values_at('event', 'callId', 'groupId').join.downcase if FLAW == 'downcase'
  handle(event) if FLAW == 'looks up first' || first?(id)
  200
rescue JSON::ParserError, KeyError, NoMethodError, TypeError
  400
end

run ->(env) { [receive(env), { 'content-length' => '0' }, []] }
