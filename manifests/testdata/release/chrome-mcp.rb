class ChromeMcp < Formula
  desc "Lets an AI agent work in the Chrome you are logged in to, on the sites you allow"
  homepage "https://github.com/owner/chrome-mcp"
  version "1.2.3"
  license "Apache-2.0"

  on_linux do
    on_intel do
      url "https://github.com/owner/chrome-mcp/releases/download/v1.2.3/chrome-mcp-1.2.3-linux-amd64.tar.gz"
      sha256 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    end
    on_arm do
      url "https://github.com/owner/chrome-mcp/releases/download/v1.2.3/chrome-mcp-1.2.3-linux-arm64.tar.gz"
      sha256 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    end
  end

  on_macos do
    on_intel do
      url "https://github.com/owner/chrome-mcp/releases/download/v1.2.3/chrome-mcp-1.2.3-darwin-amd64.tar.gz"
      sha256 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    end
    on_arm do
      url "https://github.com/owner/chrome-mcp/releases/download/v1.2.3/chrome-mcp-1.2.3-darwin-arm64.tar.gz"
      sha256 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    end
  end

  def install
    bin.install "chrome-mcp"
    man1.install "man/chrome-mcp.1"
    bash_completion.install "completions/chrome-mcp.bash" => "chrome-mcp"
    zsh_completion.install "completions/_chrome-mcp"
    fish_completion.install "completions/chrome-mcp.fish"
  end

  def caveats
    <<~EOS
      To use it with your browser, run:
        chrome-mcp install
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/chrome-mcp version")
  end
end
