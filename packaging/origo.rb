# A formula for Homebrew on Linux. `url` and `sha256` are those of the source
# tarball of a release; `make release` writes a copy with the checksum beside it.
class Origo < Formula
  desc "Tells where text came from"
  homepage "https://example.org/origo"
  url "https://example.org/origo/origo-0.2.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "pkg-config" => :build
  depends_on "curl"
  depends_on "gnutls"
  depends_on "hiredis"
  depends_on "libarchive"
  depends_on "libmicrohttpd"
  depends_on "librdkafka"
  depends_on :linux
  depends_on "libxml2"
  depends_on "lmdb"
  depends_on "openssl@3"
  depends_on "uchardet"
  depends_on "utf8proc"
  depends_on "xxhash"
  depends_on "zlib"
  depends_on "zstd"

  # gumbo and libstemmer have no formulae that are kept.
  def install
    system "meson", "setup", "build", "-Dtests=disabled", "-Dbench=false",
           "-Dhtml=disabled", "-Dstem=disabled", *std_meson_args
    system "meson", "install", "-C", "build"
  end

  test do
    text = "the lamp will be lit again in spring once it is back from the museum"
    (testpath/"a.jsonl").write <<~JSON
      {"id": "a", "text": "#{text}"}
      {"id": "b", "text": "they say #{text}"}
    JSON
    output = shell_output("#{bin}/origo trace -q -s :memory: --format json a.jsonl")
    assert_match "origin", output
    %w[origo-serve origo-follow origo-eval].each do |program|
      assert_predicate bin/program, :executable?
    end
  end
end
