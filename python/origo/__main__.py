import sys


def main():
    from .command import run
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
