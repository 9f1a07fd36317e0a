# Does with a formula of Homebrew what `brew install --build-from-source` and `brew
# test` do with it, as far as this one needs: in a copy of the source, into a folder
# of its own, with the libraries of this machine.
#
#     ruby tests/packages/use_formula.rb FORMULA SOURCE WORK
#
# WORK/prefix and WORK/test are made. Prints what the formula says of itself.
require "fileutils"
require "pathname"

FORMULA, SOURCE, WORK = ARGV.map { |path| Pathname.new(path).expand_path }

class Formula
  class << self
    attr_reader :fields, :needs, :tests

    %i[desc homepage url sha256 license].each do |field|
      define_method(field) { |value| (@fields ||= {})[field] = value }
    end

    def depends_on(what)
      (@needs ||= []) << (what.is_a?(Hash) ? what.keys.first : what)
    end

    def test(&block)
      @tests = block
    end
  end

  def prefix
    WORK/"prefix"
  end

  def bin
    prefix/"bin"
  end

  def testpath
    WORK/"test"
  end

  def std_meson_args
    ["--prefix=#{prefix}", "--libdir=#{prefix}/lib", "--buildtype=release",
     "--wrap-mode=nofallback"]
  end

  def system(*command)
    Kernel.system(*command) || raise("failed: #{command.join(" ")}")
  end

  def shell_output(command)
    output = `#{command}`
    raise "failed: #{command}" unless $?.success?
    output
  end

  def assert_match(pattern, text)
    raise "no #{pattern.inspect} in: #{text}" unless text.match?(pattern)
  end

  def assert_predicate(what, predicate)
    raise "#{what} is not #{predicate}" unless what.public_send(predicate)
  end
end

# What the fields must be for brew to take them.
def check(fields, needs)
  raise "no #{%i[desc url sha256 license] - fields.keys}" unless
    (%i[desc homepage url sha256 license] - fields.keys).empty?
  raise "desc ends with a dot" if fields[:desc].end_with?(".")
  raise "sha256" unless fields[:sha256].match?(/\A\h{64}\z/)
  raise "needed twice: #{needs}" unless needs.uniq == needs
end

load FORMULA
check(Origo.fields, Origo.needs)
formula = Origo.new
FileUtils.mkdir_p([formula.testpath, WORK])
ENV["LD_LIBRARY_PATH"] = "#{formula.prefix}/lib"
Dir.chdir(SOURCE) { formula.install }
Dir.chdir(formula.testpath) { formula.instance_eval(&Origo.tests) }
puts "#{Origo.fields[:url][%r{[^/]*\z}]}: installed, tested"
