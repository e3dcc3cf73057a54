# Receives webhooks as a Rack application.
require 'json'
require 'openssl'
require 'sqlite3'

secrets = ENV.values_at('WABAKIT_WEBHOOK_SECRET', 'WABAKIT_WEBHOOK_SECRET_PREVIOUS').reject { |text| text.to_s.empty? }
SECRETS = secrets.map { |text| text.delete_prefix('whsec_').unpack1('m0') }
TOKENS = ENV.values_at('WEBHOOK_TOKEN', 'WEBHOOK_TOKEN_PREVIOUS').reject { |text| text.to_s.empty? }
HEADER = ENV['WEBHOOK_HEADER'] # if the token is in a header instead of the URL
SCHEME = HEADER&.downcase == 'authorization' ? 'Bearer ' : ''
if SECRETS.any? { |secret| secret.bytesize < 24 } || TOKENS.any? { |token| token.bytesize < 16 } || (SECRETS + TOKENS).empty?
  abort 'Set WEBHOOK_TOKEN to at least 16 bytes, or WABAKIT_WEBHOOK_SECRET to at least 24 bytes in base64.'
end
LOCK = Mutex.new
DB = SQLite3::Database.new(ENV.fetch('DATABASE'))
DB.execute('CREATE TABLE IF NOT EXISTS deliveries (id TEXT PRIMARY KEY, received_at INTEGER NOT NULL)')
DB.execute('CREATE TABLE IF NOT EXISTS summaries (call_id TEXT PRIMARY KEY, recap TEXT NOT NULL)')

def decode(text) # once; "+" stays "+"
  text.to_s.b.gsub(/%(\h\h)/n) { [$1].pack('H2') }
end

def list_tokens(env)
  return [env["HTTP_#{HEADER.upcase.tr('-', '_')}"].to_s.b] if HEADER

  pairs = env['QUERY_STRING'].to_s.split('&').map { |pair| pair.split('=', 2) }
  pairs.filter_map { |name, value| decode(value) if decode(name) == 'token' }
end

def token?(env)
  given = list_tokens(env)
  given.one? && TOKENS.map { |token| OpenSSL.secure_compare("#{SCHEME}#{token}".b, given.first) }.any?
end

def signed?(env, body)
  id, timestamp, signatures = env.values_at('HTTP_WEBHOOK_ID', 'HTTP_WEBHOOK_TIMESTAMP', 'HTTP_WEBHOOK_SIGNATURE')
  return false if id.to_s.empty? || !/\A\d{1,12}\z/.match?(timestamp) || (Time.now.to_i - timestamp.to_i).abs > 300

  SECRETS.product(signatures.to_s.split).any? do |secret, given|
    digest = OpenSSL::HMAC.digest('SHA256', secret, "#{id}.#{timestamp}.".b + body)
    OpenSSL.secure_compare("v1,#{[digest].pack('m0')}", given)
  end
end

def handle(id, event)
  LOCK.synchronize do
    DB.transaction do # all of it or nothing
      DB.execute('INSERT OR IGNORE INTO deliveries VALUES (?, ?)', [id, Time.now.to_i])
      next unless DB.changes == 1 && event['event'] == 'CALL_AI_SUMMARY'

      summary = [event.fetch('callId'), event.fetch('summary').fetch('recap')]
      DB.execute('INSERT OR IGNORE INTO summaries VALUES (?, ?)', summary)
    end
  end
end

def receive(env)
  return 405 unless env['REQUEST_METHOD'] == 'POST'
  return 401 unless TOKENS.empty? || token?(env)
  return 413 if env['CONTENT_LENGTH'].to_i > 1_048_576

  body = env['rack.input'].read(1_048_576) || +''
  return 401 unless TOKENS.any? || signed?(env, body)

  event = JSON.parse(body.force_encoding('UTF-8'))
  return 400 unless body.valid_encoding? && event.is_a?(Hash)

  handle(env['HTTP_WEBHOOK_ID'], event) # without an id, a repeated summary is recognized by its call
  200
rescue JSON::ParserError, KeyError, NoMethodError, TypeError
  400 # not an event as documented; any other error is a 500, after which the sender tries again
end

run ->(env) { [receive(env), { 'content-length' => '0' }, []] }
